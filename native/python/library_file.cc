#include "python/library_file.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

namespace stridelab::python {
namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#endif

}  // namespace

std::string DamageOfLibrary(const std::string& file) {
  std::ifstream input(file, std::ios::binary);
  if (!input) return file + " cannot be read";
  std::string cut = file + " is cut off: install this Python again";
  input.seekg(0, std::ios::end);
  const auto size = static_cast<std::uint64_t>(input.tellg());
  input.seekg(0);
  Elf64_Ehdr header{};
  if (!input.read(reinterpret_cast<char*>(&header), sizeof header)) return cut;
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return file + " is no shared library";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_machine != kMachine)
    return file + " was built for another kind of processor than this process";
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  input.seekg(static_cast<std::streamoff>(header.e_phoff));
  const auto bytes = static_cast<std::streamsize>(segments.size() * sizeof(Elf64_Phdr));
  if (!input.read(reinterpret_cast<char*>(segments.data()), bytes)) return cut;
  const bool whole = std::ranges::all_of(segments, [&](const Elf64_Phdr& segment) {
    return segment.p_type != PT_LOAD || segment.p_offset + segment.p_filesz <= size;
  });
  return whole ? "" : cut;
}

}  // namespace stridelab::python

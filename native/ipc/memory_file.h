// Memory files that several processes map. They have no path: another process opens them through
// /proc/PID/fd.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stridelab::ipc {

inline constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t RoundedToPages(std::size_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

/** An open file, closed by the destructor. */
class File {
 public:
  explicit File(int descriptor = -1) : descriptor_(descriptor) {}
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~File();
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  bool open() const { return descriptor_ >= 0; }
  int descriptor() const { return descriptor_; }
  /** Releases ownership of the descriptor and returns it. */
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

/** Creates a memory file of that size, filled with zeros; its pages are allocated when first written. */
File MakeMemoryFile(std::size_t bytes);
File Duplicate(int descriptor);
/** Returns the size of a file in bytes; 0 on failure. */
std::size_t SizeOf(int descriptor);
std::uint64_t InodeOf(int descriptor);

/** Maps a part of a file for reading and writing, at address `at` unless that is null. Null on failure. */
void* MapFile(int descriptor, std::size_t offset, std::size_t bytes, void* at = nullptr);
/** Reserves addresses without memory. */
void* ReserveAddresses(std::size_t bytes, void* at = nullptr);
void Unmap(void* start, std::size_t bytes);
/** Frees the memory of a part of a file, which then reads as zeros. */
void Discard(int descriptor, std::size_t offset, std::size_t bytes);

/** Replaces whole pages with a mapping of a new memory file with the same contents; returns its descriptor,
 * -1 on failure. */
int MoveToFile(void* start, std::size_t bytes);
/** Replaces the pages with private memory, filled with zeros. Closes the file in any case: the memory was
 * freed, and only processes that opened the file before still use it. False on failure: the pages may then
 * still be the file's, and must not be used again. */
bool MoveOutOfFile(void* start, std::size_t bytes, int descriptor);

/** The name by which another process of the same user opens a file of this process. */
struct FileName {
  std::uint64_t magic = 0;
  std::int32_t process = 0;
  std::int32_t descriptor = -1;
  /** Verifies the file: process ids and descriptors are reused. */
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
};

FileName NameOf(int descriptor, std::uint64_t magic, std::size_t bytes);
bool IsOfThisProcess(const FileName& name);
/** Opens another process's file; not open if the process exited, the file is closed, or access is denied. */
File OpenByName(const FileName& name);

}  // namespace stridelab::ipc

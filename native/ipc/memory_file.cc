#include "ipc/memory_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <string>

namespace stridelab::ipc {

File::~File() {
  if (descriptor_ >= 0) close(descriptor_);
}

File MakeMemoryFile(std::size_t bytes) {
  File file(memfd_create("stridelab", MFD_CLOEXEC));
  if (!file.open() || ftruncate(file.descriptor(), static_cast<off_t>(bytes)) != 0) return File();
  return file;
}

File Duplicate(int descriptor) { return File(fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

std::size_t SizeOf(int descriptor) {
  struct stat facts{};
  return fstat(descriptor, &facts) == 0 ? static_cast<std::size_t>(facts.st_size) : 0;
}

std::uint64_t InodeOf(int descriptor) {
  struct stat facts{};
  return fstat(descriptor, &facts) == 0 ? facts.st_ino : 0;
}

void* MapFile(int descriptor, std::size_t offset, std::size_t bytes, void* at) {
  const int flags = MAP_SHARED | MAP_NORESERVE | (at == nullptr ? 0 : MAP_FIXED);
  void* start = mmap(at, bytes, PROT_READ | PROT_WRITE, flags, descriptor, static_cast<off_t>(offset));
  return start == MAP_FAILED ? nullptr : start;
}

void* ReserveAddresses(std::size_t bytes, void* at) {
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at == nullptr ? 0 : MAP_FIXED);
  void* start = mmap(at, bytes, PROT_NONE, flags, -1, 0);
  return start == MAP_FAILED ? nullptr : start;
}

void Unmap(void* start, std::size_t bytes) { munmap(start, bytes); }

void Discard(int descriptor, std::size_t offset, std::size_t bytes) {
  fallocate(descriptor, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(offset),
            static_cast<off_t>(bytes));
}

int MoveToFile(void* start, std::size_t bytes) {
  File file = MakeMemoryFile(bytes);
  if (!file.open()) return -1;
  // Writing avoids a second mapping.
  const char* source = static_cast<const char*>(start);
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t written = pwrite(file.descriptor(), source + done, bytes - done, static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    done += static_cast<std::size_t>(written);
  }
  return MapFile(file.descriptor(), 0, bytes, start) == nullptr ? -1 : file.Release();
}

bool MoveOutOfFile(void* start, std::size_t bytes, int descriptor) {
  void* own = mmap(start, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  close(descriptor);
  return own != MAP_FAILED;
}

FileName NameOf(int descriptor, std::uint64_t magic, std::size_t bytes) {
  return FileName{magic, getpid(), descriptor, InodeOf(descriptor), bytes};
}

bool IsOfThisProcess(const FileName& name) {
  return name.process == getpid() && InodeOf(name.descriptor) == name.inode;
}

File OpenByName(const FileName& name) {
  const std::string path = "/proc/" + std::to_string(name.process) + "/fd/" + std::to_string(name.descriptor);
  File file(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!file.open() || InodeOf(file.descriptor()) != name.inode || SizeOf(file.descriptor()) < name.bytes)
    return File();
  return file;
}

}  // namespace stridelab::ipc

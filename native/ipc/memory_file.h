// Memory that several processes of a machine map: files without a name, which one process finds among the
// open files of another.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <utility>

namespace stridelab::ipc {

inline constexpr std::size_t kPageBytes = 4096;

/** An open file, closed at the end. */
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
  /** Gives the descriptor away. */
  int Release() { return std::exchange(descriptor_, -1); }

 private:
  int descriptor_;
};

/** A new memory file of that size, all zeros, which takes no memory before it is touched. */
File MakeMemoryFile(std::size_t bytes);
File Duplicate(int descriptor);
/** 0 where it cannot be told. */
std::size_t SizeOf(int descriptor);
std::uint64_t InodeOf(int descriptor);

/** Maps a part of a file for reading and writing; null where that fails. `at` puts it at an address. */
void* MapFile(int descriptor, std::size_t offset, std::size_t bytes, void* at = nullptr);
/** Addresses without memory. */
void* ReserveAddresses(std::size_t bytes, void* at = nullptr);
void Unmap(void* start, std::size_t bytes);
/** Gives the memory of a part of a file back; it reads as zeros afterwards. */
void Discard(int descriptor, std::size_t offset, std::size_t bytes);

/** Puts a memory file with the same contents in the place of whole pages; its descriptor, -1 where that
 * fails. */
int MoveToFile(void* start, std::size_t bytes);
/** Puts memory of this process alone back there, of zeros, and closes the file, which others may go on to
 * use. False where the system refused: then the pages are still the file's. */
bool MoveOutOfFile(void* start, std::size_t bytes, int descriptor);

/** How another process of the same user finds a file of this one. */
struct FileName {
  std::uint64_t magic = 0;
  std::int32_t process = 0;
  std::int32_t descriptor = -1;
  /** Tells whether the number still means the same file: both numbers are used again. */
  std::uint64_t inode = 0;
  std::uint64_t bytes = 0;
};

FileName NameOf(int descriptor, std::uint64_t magic, std::size_t bytes);
bool IsOfThisProcess(const FileName& name);
/** Not open where the process or the file is gone, and where the system forbids it. */
File OpenByName(const FileName& name);

}  // namespace stridelab::ipc

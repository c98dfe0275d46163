#include "core/parallel_copy.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <thread>

namespace stridelab::core {
namespace {

constexpr unsigned kMostThreads = 8;
/** Minimum number of bytes for which waking a thread pays off. */
constexpr std::size_t kLeastShare = std::size_t{256} << 10;

/** A thread pool for copies. Never destroyed: the process may exit while its threads sleep. */
class Crew {
 public:
  explicit Crew(unsigned helpers) : helpers_(helpers) {
    for (unsigned index = 1; index <= helpers; ++index) std::thread([this, index] { Work(index); }).detach();
  }

  void Copy(void* target, const void* source, std::size_t bytes) {
    const std::lock_guard turn(turn_);
    const auto useful = static_cast<unsigned>(std::min<std::size_t>(helpers_ + 1, bytes / kLeastShare + 1));
    {
      const std::lock_guard lock(mutex_);
      target_ = static_cast<std::byte*>(target);
      source_ = static_cast<const std::byte*>(source);
      bytes_ = bytes;
      shares_ = useful;
      left_ = useful - 1;
      ++round_;
    }
    wake_.notify_all();
    CopyShare(0);
    while (left_.load(std::memory_order_acquire) != 0) std::this_thread::yield();
  }

 private:
  void CopyShare(unsigned index) {
    const std::size_t share = (bytes_ / shares_ + 63) / 64 * 64;
    const std::size_t start = std::min(bytes_, share * index);
    const std::size_t end = index + 1 == shares_ ? bytes_ : std::min(bytes_, start + share);
    std::memcpy(target_ + start, source_ + start, end - start);
  }

  void Work(unsigned index) {
    std::uint64_t seen = 0;
    for (;;) {
      // The chunks of a transfer follow each other closely: sleeping between them costs more than spinning.
      for (int look = 0; look < 2000 && round_.load(std::memory_order_acquire) == seen; ++look)
        std::this_thread::yield();
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return round_ != seen; });
      seen = round_;
      const bool mine = index < shares_;
      lock.unlock();
      if (!mine) continue;
      CopyShare(index);
      left_.fetch_sub(1, std::memory_order_release);
    }
  }

  unsigned helpers_;
  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::atomic<std::uint64_t> round_{0};
  std::atomic<unsigned> left_{0};
  std::byte* target_ = nullptr;
  const std::byte* source_ = nullptr;
  std::size_t bytes_ = 0;
  unsigned shares_ = 1;
};

Crew& TheCrew() {
  static Crew& crew = *new Crew(std::clamp(std::thread::hardware_concurrency() / 2, 1U, kMostThreads) - 1);
  return crew;
}

}  // namespace

void ParallelCopy(void* target, const void* source, std::size_t bytes) {
  // A forked child has none of the threads.
  static const pid_t owner = getpid();
  if (bytes < 2 * kLeastShare || getpid() != owner) {
    std::memcpy(target, source, bytes);
    return;
  }
  TheCrew().Copy(target, source, bytes);
}

}  // namespace stridelab::core

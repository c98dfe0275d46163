#include "compute/crew.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

namespace stridelab::compute {
namespace {

constexpr std::size_t kMostThreads = 16;
/** Parts for each thread, so that one that the system delays leaves its share to the others. */
constexpr std::size_t kPartsPerThread = 4;

/** True on a thread that runs a part. */
thread_local bool inside = false;

/** Never destroyed: the process may exit while the threads sleep. */
class Crew {
 public:
  explicit Crew(std::size_t helpers) {
    for (std::size_t count = 0; count < helpers; ++count) std::thread([this] { Help(); }).detach();
  }

  /** Returns false, without a call of `work`, if the crew is busy. */
  bool Run(std::size_t parts, const std::function<void(std::size_t)>& work) {
    const std::unique_lock turn(turn_, std::try_to_lock);
    if (!turn.owns_lock()) return false;
    {
      const std::lock_guard lock(mutex_);
      work_ = &work;
      parts_ = parts;
      next_ = 0;
      error_ = nullptr;
      ++round_;
    }
    wake_.notify_all();
    TakeParts(parts, work);
    std::unique_lock lock(mutex_);
    // A helper that wakes up later finds no work.
    work_ = nullptr;
    idle_.wait(lock, [&] { return helping_ == 0; });
    if (error_) std::rethrow_exception(error_);
    return true;
  }

 private:
  void TakeParts(std::size_t parts, const std::function<void(std::size_t)>& work) {
    inside = true;
    try {
      for (std::size_t part = next_++; part < parts; part = next_++) work(part);
    } catch (...) {
      next_ = parts;
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    inside = false;
  }

  void Help() {
    std::unique_lock lock(mutex_);
    for (std::size_t seen = 0;; seen = round_) {
      wake_.wait(lock, [&] { return round_ != seen; });
      if (work_ == nullptr) continue;
      const std::function<void(std::size_t)>& work = *work_;
      const std::size_t parts = parts_;
      ++helping_;
      lock.unlock();
      TakeParts(parts, work);
      lock.lock();
      if (--helping_ == 0) idle_.notify_one();
    }
  }

  std::mutex turn_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t parts_ = 0;
  std::size_t round_ = 0;
  std::size_t helping_ = 0;
  std::exception_ptr error_;
  std::atomic<std::size_t> next_{0};
};

std::size_t ChosenSize() {
  const char* text = std::getenv("STRIDELAB_SIM_THREADS");
  const long chosen = text == nullptr ? 0 : std::strtol(text, nullptr, 10);
  const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
  return std::min(chosen > 0 ? static_cast<std::size_t>(chosen) : cores, kMostThreads);
}

}  // namespace

std::size_t CrewSize() {
  static const std::size_t size = ChosenSize();
  return size;
}

std::size_t PartsFor(std::size_t cost) {
  const std::size_t threads = std::min(CrewSize(), cost / kLeastShare);
  return threads < 2 ? 1 : std::min(kPartsPerThread * threads, cost / kLeastShare);
}

void RunParts(std::size_t parts, const std::function<void(std::size_t)>& work) {
  // A forked child has none of the threads.
  static const pid_t owner = getpid();
  if (parts > 1 && CrewSize() > 1 && !inside && getpid() == owner) {
    static Crew& crew = *new Crew(CrewSize() - 1);
    if (crew.Run(parts, work)) return;
  }
  for (std::size_t part = 0; part < parts; ++part) work(part);
}

}  // namespace stridelab::compute

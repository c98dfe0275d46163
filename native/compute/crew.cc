#include "compute/crew.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>

#include "core/crew.h"

namespace stridelab::compute {
namespace {

constexpr std::size_t kMostThreads = 16;
/** Parts for each thread, so that one that the system delays leaves its share to the others. */
constexpr std::size_t kPartsPerThread = 4;

/** True on a thread that runs a part. */
thread_local bool inside = false;

/** The parts of one operation, which threads take in turn. */
class Parts {
 public:
  Parts(std::size_t count, const std::function<void(std::size_t)>& work) : count_(count), work_(work) {}

  /** Runs parts until all are taken. */
  void Take() {
    inside = true;
    try {
      for (std::size_t part = next_++; part < count_; part = next_++) work_(part);
    } catch (...) {
      next_ = count_;
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
    }
    inside = false;
  }

  /** Throws the first exception of a part, if there is one. */
  void ThrowError() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  const std::size_t count_;
  const std::function<void(std::size_t)>& work_;
  std::atomic<std::size_t> next_{0};
  std::mutex mutex_;
  std::exception_ptr error_;
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
  if (parts > 1 && CrewSize() > 1 && !inside) {
    static core::Crew& crew = *new core::Crew(CrewSize() - 1);
    Parts shared(parts, work);
    const std::function<void()> take = [&shared] { shared.Take(); };
    if (crew.Begin(take)) {
      shared.Take();
      crew.End();
      return shared.ThrowError();
    }
  }
  for (std::size_t part = 0; part < parts; ++part) work(part);
}

}  // namespace stridelab::compute

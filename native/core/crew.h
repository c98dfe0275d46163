// Threads that help the calling thread with one job at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>

namespace stridelab::core {

/** Threads that sleep between jobs. A crew is never destroyed, because the process may exit while they sleep. */
class Crew {
 public:
  explicit Crew(std::size_t helpers);

  /**
   * Has each thread call `work` once, which must not throw and must live until End. Returns false, without a call, if the crew
   * has another job, and in a forked child, which has none of the threads.
   */
  bool Begin(const std::function<void()>& work);
  /** Returns when no thread calls the work any more. A thread that wakes up later does not call it. */
  void End();

 private:
  void Help();

  const int owner_;
  std::mutex mutex_;
  std::condition_variable wake_;
  std::condition_variable idle_;
  /** Null between jobs. */
  const std::function<void()>* work_ = nullptr;
  bool ending_ = false;
  std::uint64_t round_ = 0;
  std::size_t helping_ = 0;
};

}  // namespace stridelab::core

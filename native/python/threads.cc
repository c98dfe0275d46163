#include "python/threads.h"

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "python/gil.h"

namespace stridelab::python {
namespace {

constexpr std::size_t kMost = 64;
constexpr std::chrono::seconds kIdle(10);

// Never destroyed: threads use it while the process ends.
struct Pool {
  std::mutex mutex;
  std::condition_variable filled;
  std::deque<std::function<void()>> jobs;
  std::size_t threads = 0;
  std::size_t idle = 0;
};
Pool& ThePool() {
  static Pool& pool = *new Pool;
  return pool;
}

void Work() {
  Pool& pool = ThePool();
  std::unique_lock lock(pool.mutex);
  for (;;) {
    ++pool.idle;
    const bool found = pool.filled.wait_for(lock, kIdle, [&] { return !pool.jobs.empty(); });
    --pool.idle;
    if (!found) break;
    std::function<void()> job = std::move(pool.jobs.front());
    pool.jobs.pop_front();
    lock.unlock();
    job();
    // Destroyed without the mutex, since it needs the GIL.
    job = nullptr;
    lock.lock();
  }
  --pool.threads;
  lock.unlock();
  Gil::LeaveThread();
}

}  // namespace

void RunOnThread(std::function<void()> job) {
  Pool& pool = ThePool();
  const std::lock_guard lock(pool.mutex);
  pool.jobs.push_back(std::move(job));
  if (pool.jobs.size() > pool.idle && pool.threads < kMost) {
    ++pool.threads;
    std::thread(Work).detach();
  }
  pool.filled.notify_one();
}

}  // namespace stridelab::python

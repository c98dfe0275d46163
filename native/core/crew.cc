#include "core/crew.h"

#include <unistd.h>

#include <thread>

namespace stridelab::core {

Crew::Crew(std::size_t helpers) : owner_(getpid()) {
  for (std::size_t count = 0; count < helpers; ++count) std::thread([this] { Help(); }).detach();
}

bool Crew::Begin(const std::function<void()>& work) {
  if (getpid() != owner_) return false;
  {
    const std::lock_guard lock(mutex_);
    if (work_ != nullptr) return false;
    work_ = &work;
    ++round_;
  }
  wake_.notify_all();
  return true;
}

void Crew::End() {
  std::unique_lock lock(mutex_);
  ending_ = true;
  idle_.wait(lock, [this] { return helping_ == 0; });
  ending_ = false;
  work_ = nullptr;
}

void Crew::Help() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [&] { return round_ != seen; });
    seen = round_;
    if (work_ == nullptr || ending_) continue;
    const std::function<void()>& work = *work_;
    ++helping_;
    lock.unlock();
    work();
    lock.lock();
    if (--helping_ == 0) idle_.notify_all();
  }
}

}  // namespace stridelab::core

#include "core/reaper.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "core/device.h"

namespace stridelab::core {
namespace {

constexpr auto kShortestPause = std::chrono::microseconds(200);
constexpr auto kLongestPause = std::chrono::microseconds(5000);

/** State of the thread. Never destroyed: the thread may outlive static destruction. */
struct State {
  /** Held while the thread makes driver calls. */
  std::mutex working;
  std::mutex mutex;
  std::condition_variable wake;
  std::vector<Device*> watched;
  bool started = false;
  bool stopped = false;
};

State& TheState() {
  static State& state = *new State;
  return state;
}

/** Frees finished blocks; returns true if the device has adopted blocks left. */
bool Visit(Device& device) noexcept {
  try {
    device.parked().FreeFinished(ParkedBlocks::kThorough);
    return device.parked().HoldsAdopted();
  } catch (const std::exception&) {
    return false;  // A lost device completes no more work.
  }
}

void Run() {
  State& state = TheState();
  auto pause = kShortestPause;
  for (;;) {
    std::vector<Device*> devices;
    {
      std::unique_lock lock(state.mutex);
      if (state.watched.empty()) pause = kShortestPause;
      state.wake.wait(lock, [&] { return !state.watched.empty() || state.stopped; });
      if (state.stopped) return;
      devices.swap(state.watched);
    }
    {
      const std::lock_guard working(state.working);
      {
        const std::lock_guard lock(state.mutex);
        if (state.stopped) return;
      }
      std::erase_if(devices, [](Device* device) { return !Visit(*device); });
    }
    if (devices.empty()) continue;
    {
      const std::lock_guard lock(state.mutex);
      for (Device* device : devices) {
        if (std::find(state.watched.begin(), state.watched.end(), device) == state.watched.end())
          state.watched.push_back(device);
      }
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(pause * 2, kLongestPause);
  }
}

}  // namespace

void Reaper::Watch(Device& device) {
  State& state = TheState();
  const std::lock_guard lock(state.mutex);
  if (state.stopped) return;
  if (!state.started) {
    state.started = true;
    std::thread(Run).detach();
  }
  if (std::find(state.watched.begin(), state.watched.end(), &device) == state.watched.end())
    state.watched.push_back(&device);
  state.wake.notify_one();
}

void Reaper::Stop() noexcept {
  State& state = TheState();
  {
    const std::lock_guard lock(state.mutex);
    state.stopped = true;
    state.wake.notify_one();
  }
  // Bounded: a release may be waiting for the thread that is exiting, which must not block the exit forever.
  for (int attempt = 0; attempt < 100; ++attempt) {
    if (state.working.try_lock()) {
      state.working.unlock();
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace stridelab::core

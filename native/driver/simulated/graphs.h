// Captures and graphs of the simulated device: operations kept to run later, in the order they were
// submitted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "driver/simulated/timeline.h"

namespace stridelab::driver::simulated {

struct Operation {
  std::function<void()> work;
  VirtualTime duration;
};

/** What streams are captured into, and then what a graph is made of. */
struct Capture {
  /** The stream it began on. */
  const Timeline::Stream* origin = nullptr;
  std::vector<Operation> operations;
  /** By stream: its operations so far, and how many of them another stream waits for. */
  struct Branch {
    std::uint64_t submitted = 0;
    std::uint64_t joined = 0;
  };
  std::unordered_map<const Timeline::Stream*, Branch> branches;
  bool broken = false;
};

class Graphs {
 public:
  CUgraph Add(std::shared_ptr<const Capture> capture) {
    return HandleFrom<CUgraph>(Keep(std::move(capture)));
  }
  CUgraphExec Instantiate(CUgraph graph) { return HandleFrom<CUgraphExec>(Keep(Find(HandleValue(graph)))); }
  /** Of a graph or an executable one; null where there is none. */
  std::shared_ptr<const Capture> Find(std::uint64_t handle) const {
    const auto entry = kept_.find(handle);
    return entry == kept_.end() ? nullptr : entry->second;
  }
  bool Destroy(std::uint64_t handle) { return kept_.erase(handle) == 1; }

 private:
  std::uint64_t Keep(std::shared_ptr<const Capture> capture) {
    const std::uint64_t handle = next_handle_;
    next_handle_ += 0x10;
    kept_.emplace(handle, std::move(capture));
    return handle;
  }

  std::unordered_map<std::uint64_t, std::shared_ptr<const Capture>> kept_;
  std::uint64_t next_handle_ = 0x5200000010;
};

}  // namespace stridelab::driver::simulated

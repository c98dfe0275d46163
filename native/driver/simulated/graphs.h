// Captures and graphs of simulated devices: recorded operations, which run later in order of submission.
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

/** The operations that a stream capture records, and that a graph made of it runs. */
struct Capture {
  /** The stream on which the capture began. */
  const Timeline::Stream* origin = nullptr;
  std::vector<Operation> operations;
  /** A stream of the capture: its number of operations, and how many of them other streams wait for. */
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
  /** Returns the capture of a graph or executable graph; null for an unknown handle. */
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

// Captures and graphs of simulated devices: recorded operations, which run later in order of submission.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "driver/simulated/handle_table.h"
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

/** The captures of graphs and of executable graphs. */
using Graphs = HandleTable<std::shared_ptr<const Capture>>;

}  // namespace stridelab::driver::simulated

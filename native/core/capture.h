// Stream capture: records submitted work as a graph, which can be launched any number of times.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "core/use_list.h"
#include "core/wait.h"
#include "driver/types.h"

namespace stridelab::core {

class Device;
class Storage;
class Stream;

/** A block that a graph uses; the access is a write if any of the graph's work writes it. */
struct CapturedAccess {
  std::shared_ptr<Storage> storage;
  Access access;
};

/** An executable graph. It keeps alive the memory that it uses; launches are ordered with its other uses. */
class Graph {
 public:
  Graph(Device& device, driver::CUgraphExec executable, std::vector<CapturedAccess> accesses)
      : device_(device), executable_(executable), accesses_(std::move(accesses)) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Device& device() const { return device_; }
  /** Submits the captured work to `stream` as one operation, ordered after conflicting uses of its blocks. */
  void Launch(const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt) const;

 private:
  Device& device_;
  driver::CUgraphExec executable_;
  std::vector<CapturedAccess> accesses_;
};

/**
 * A capture under way, of one stream and of those that waited for its events. The captured work has not run,
 * so its uses are kept here: if the blocks kept them, work outside the capture would wait for work that may
 * never run.
 */
class Capture {
 public:
  /** Orders `stream` inside the capture after the captured uses that conflict with `access`. */
  void Prepare(const Storage& storage, Stream& stream, Access access);
  void Note(const std::shared_ptr<Storage>& storage, const std::shared_ptr<Stream>& stream, Access access);
  /** Returns the capturing stream that used the block last, ordered after the block's other captured uses;
   * null if the block has none. */
  std::shared_ptr<Stream> Join(const Storage& storage, bool read_only);
  /** The blocks that the graph will keep alive, with their accesses. */
  std::vector<CapturedAccess> Accesses() const;
  void AddStream(const std::shared_ptr<Stream>& stream);
  /** Ends the capture for its streams. */
  void Close();

 private:
  struct Entry {
    std::shared_ptr<Storage> storage;
    Access access = Access::kRead;
    /** The latest use of each stream, oldest first. */
    std::vector<std::pair<std::shared_ptr<Stream>, Access>> uses;
  };

  void OrderInside(Stream& later, Stream& earlier);

  mutable std::mutex mutex_;
  std::unordered_map<const Storage*, Entry> entries_;
  std::vector<std::weak_ptr<Stream>> streams_;
};

}  // namespace stridelab::core

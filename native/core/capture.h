// Stream capture: work that is kept to be launched later, any number of times.
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

/** How captured work uses a block, all of it taken together. */
struct CapturedAccess {
  std::shared_ptr<Storage> storage;
  Access access;
};

/** An executable graph. It keeps the memory that its work uses; launches are ordered with other uses of it.
 */
class Graph {
 public:
  Graph(Device& device, driver::CUgraphExec executable, std::vector<CapturedAccess> accesses)
      : device_(device), executable_(executable), accesses_(std::move(accesses)) {}
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  Device& device() const { return device_; }
  /** Submits the captured work to `stream`, as one operation, ordered by events after what its blocks need.
   */
  void Launch(const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt) const;

 private:
  Device& device_;
  driver::CUgraphExec executable_;
  std::vector<CapturedAccess> accesses_;
};

/**
 * What is being captured, from one stream and those that waited for its events. Nothing of it has run: the
 * uses of blocks are kept here instead of in the blocks, where they would order work outside after work that
 * may never be.
 */
class Capture {
 public:
  /** Orders `stream` inside the capture after the captured uses that conflict with `access`. */
  void Prepare(const Storage& storage, Stream& stream, Access access);
  void Note(const std::shared_ptr<Storage>& storage, const std::shared_ptr<Stream>& stream, Access access);
  /** The capturing stream that used the block last, ordered after its other captured uses; null where none
   * did. */
  std::shared_ptr<Stream> Join(const Storage& storage, bool read_only);
  /** What the graph will keep. */
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

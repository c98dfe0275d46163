// Work that a simulated device defers until something orders it (schedule `hazard`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace stridelab::driver::simulated {

/**
 * Deferred work, in one queue for each stream. A wait for another queue is kept as a dependency, which runs
 * only when the waiting queue's work has to run. Unordered work runs as late as possible, so that a missing
 * wait shows as wrong data. A queue is of bounded length, as on a real device.
 */
class HeldWork {
 public:
  /** How a stream synchronizes with the legacy default stream of its device. */
  enum class Order { kLegacy, kBlocking, kNonBlocking };

  struct Queue;

  /** A position in a queue, which stands for all the work before it. */
  struct Mark {
    std::shared_ptr<Queue> queue;
    std::uint64_t position;
    /** True once that work ran, or if nothing was marked. */
    bool Reached() const;
  };

  struct Item {
    std::function<void()> work;
    std::vector<Mark> after;
    /** Bytes of host memory that the item keeps allocated. */
    std::size_t kept;
  };

  struct Queue {
    Queue(int stream_device, Order stream_order) : device(stream_device), order(stream_order) {}
    int device;
    Order order;
    std::deque<Item> items;
    /** Number of items that were added so far, and of those that ran. */
    std::uint64_t submitted = 0;
    std::uint64_t ran = 0;
    std::size_t kept = 0;
    /** Number of its latest item, counted over all queues. */
    std::uint64_t latest = 0;
  };

  /** Appends `work` to `queue`, ordered after `mark` of another queue if it is set. */
  Mark Hold(const std::shared_ptr<Queue>& queue, std::function<void()> work, Mark mark, std::size_t kept);
  void Run(const Mark& mark);
  /** Runs all work that a host wait for the stream covers, which includes blocking streams for the legacy
   * stream. */
  void Run(const std::shared_ptr<Queue>& queue);
  /** Runs all work that a host wait for the device covers. */
  void RunDevice(int device);
  /** Runs everything. Among unordered queues, the one with the most recent work runs first: running them in
   * order of submission would hide missing waits. */
  void RunAll();
  /** Calls `action` once no work is held; `bytes` is the memory that it will free. */
  void WhenIdle(std::function<void()> action, std::size_t bytes);

 private:
  static constexpr std::size_t kLongest = 1024;
  static constexpr std::size_t kMostKept = std::size_t{256} << 20;

  static Mark Tail(const std::shared_ptr<Queue>& queue) { return {queue, queue->submitted}; }
  /** The implicit dependencies between the legacy stream and blocking streams. */
  std::vector<Mark> ImplicitOrder(const Queue& queue) const;
  /** Runs the work of the busy queues that `covered` accepts, starting with the most recent work. */
  template <typename Covered>
  void RunWhere(Covered covered);
  void FinishIfIdle();

  /** Queues with items, including those of destroyed streams. */
  std::vector<std::shared_ptr<Queue>> busy_;
  std::vector<std::function<void()>> when_idle_;
  std::size_t idle_bytes_ = 0;
  std::uint64_t items_ = 0;
};

}  // namespace stridelab::driver::simulated

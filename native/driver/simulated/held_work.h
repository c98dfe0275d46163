// Work that a simulated device keeps back until something orders it (schedule `hazard`).
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace stridelab::driver::simulated {

/**
 * One queue for each stream. What a queue waits for in others is held as a dependency: it runs first when the
 * queue's own work has to run, and not before. Work that nothing orders runs as late as can be, so that a
 * missing wait shows as wrong data. As a real device's, a queue is of bounded length.
 */
class HeldWork {
 public:
  /** How a stream and the legacy default stream of its device wait for one another. */
  enum class Order { kLegacy, kBlocking, kNonBlocking };

  struct Queue;

  /** A point of a queue: everything that was held before it. */
  struct Mark {
    std::shared_ptr<Queue> queue;
    std::uint64_t position;
    /** True once that ran, and where nothing was marked. */
    bool Reached() const;
  };

  struct Item {
    std::function<void()> work;
    std::vector<Mark> after;
    /** Bytes of host memory that it keeps. */
    std::size_t kept;
  };

  struct Queue {
    Queue(int stream_device, Order stream_order) : device(stream_device), order(stream_order) {}
    int device;
    Order order;
    std::deque<Item> items;
    /** Items that were held so far, and those that ran. */
    std::uint64_t submitted = 0;
    std::uint64_t ran = 0;
    std::size_t kept = 0;
    /** Number of its latest item among those of all queues. */
    std::uint64_t latest = 0;
  };

  /** Appends to `queue`, after `mark` of another one where there is one. */
  Mark Hold(const std::shared_ptr<Queue>& queue, std::function<void()> work, Mark mark, std::size_t kept);
  void Run(const Mark& mark);
  /** All that a host wait for the stream covers: for the legacy stream its blocking ones too. */
  void Run(const std::shared_ptr<Queue>& queue);
  /** All that a host wait for the device covers. */
  void RunDevice(int device);
  /** Unordered queues run with the one that got its work last at the front: the other way round would be the
   * order of submission, which hides what is missing. */
  void RunAll();
  /** Calls `action` once no work is held any more; `bytes` is what it will give back. */
  void WhenIdle(std::function<void()> action, std::size_t bytes);

 private:
  static constexpr std::size_t kLongest = 1024;
  static constexpr std::size_t kMostKept = std::size_t{256} << 20;

  static Mark Tail(const std::shared_ptr<Queue>& queue) { return {queue, queue->submitted}; }
  /** What the legacy stream and the blocking ones wait for besides. */
  std::vector<Mark> ImplicitOrder(const Queue& queue) const;
  void RunQueues(std::vector<std::shared_ptr<Queue>> queues);
  void FinishIfIdle();

  /** Those with items, of destroyed streams too. */
  std::vector<std::shared_ptr<Queue>> busy_;
  std::vector<std::function<void()>> when_idle_;
  std::size_t idle_bytes_ = 0;
  std::uint64_t items_ = 0;
};

}  // namespace stridelab::driver::simulated

// Communicator: one rank of a group of devices that run collective operations.
#pragma once

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "collectives/call.h"
#include "core/device.h"
#include "core/wait.h"

namespace stridelab::collectives {

class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  /** Calls of different kinds of communicator cannot be submitted together. */
  enum class Backend { kSimulated, kNcclBlocking, kNcclNonblocking };

  Communicator(core::Device& device, int rank, int size, Backend backend)
      : device_(device), rank_(rank), size_(size), backend_(backend) {}
  virtual ~Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  core::Device& device() const { return device_; }
  int rank() const { return rank_; }
  int size() const { return size_; }
  Backend backend() const { return backend_; }
  /** `rank 1 of 4`, for messages. */
  std::string Place() const { return "rank " + std::to_string(rank_) + " of " + std::to_string(size_); }
  /** This rank's number without the `excluded` ranks before it. */
  int RankWithout(const std::vector<int>& excluded) const {
    return rank_ - static_cast<int>(std::count_if(excluded.begin(), excluded.end(),
                                                  [this](int each) { return each < rank_; }));
  }

  /** Throws if no call can be made: kind `freed` after Destroy and Abort, `collective` after a failure. */
  virtual void RequireUsable() = 0;
  /** Begins to connect to the other ranks. May take a while; any thread. */
  virtual void Start() = 0;
  /** True if no start, call or finalization is under way. Throws kind `collective` for a failure since the
   * last call. */
  virtual bool Progress() = 0;
  /** Begins to make a communicator without the `excluded` ranks, which may have exited; Progress of the result
   * reports its completion. Ends operations in progress. All other ranks must call it. Any thread. */
  virtual std::shared_ptr<Communicator> Shrink(const std::vector<int>& excluded) = 0;
  /** Submits calls of communicators of one backend, after Submit has checked and ordered them. */
  virtual void Launch(std::span<const Call> calls, const core::InterruptFlag& interrupt) = 0;
  /** Begins finalization, whose completion Progress reports. */
  virtual void Finalize() = 0;
  /** Destroys the communicator, after Finalize. May take a while; any thread. */
  virtual void Destroy() = 0;
  /** Destroys the communicator immediately; the results of operations under way are lost. */
  virtual void Abort() = 0;

 private:
  core::Device& device_;
  int rank_;
  int size_;
  Backend backend_;
};

}  // namespace stridelab::collectives

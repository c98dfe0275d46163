// A communicator that uses NCCL.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "collectives/communicator.h"
#include "nccl/nccl_library.h"

namespace stridelab::collectives {

class NcclCommunicator : public Communicator {
 public:
  /** Creates all ranks in this process, connected. Their calls are blocking: they return after the work is
   * submitted. */
  static std::vector<std::shared_ptr<Communicator>> InitAll(const nccl::NcclLibrary& library,
                                                            std::span<core::Device* const> devices);
  /** Creates one rank, whose peers are in other processes and may never connect: its calls do not block. */
  NcclCommunicator(const nccl::NcclLibrary& library, core::Device& device, const nccl::ncclUniqueId& id,
                   int rank, int size);

  void RequireUsable() override;
  void Start() override;
  bool Progress() override;
  std::shared_ptr<Communicator> Shrink(const std::vector<int>& excluded) override;
  void Launch(std::span<const Call> calls, const core::InterruptFlag& interrupt) override;
  void Finalize() override;
  void Destroy() override { Leave(false); }
  void Abort() override { Leave(true); }

 private:
  enum class State { kFresh, kLive, kBroken, kGone };

  NcclCommunicator(const nccl::NcclLibrary& library, core::Device& device, nccl::ncclComm_t handle, int rank,
                   int size, Backend backend);
  /** Throws kind `collective`. After an error of the caller the communicator stays usable. */
  [[noreturn]] void Fail(const char* call, int result);
  void Check(const char* call, int result) {
    if (result != nccl::kSuccess && result != nccl::kInProgress) Fail(call, result);
  }
  void Issue(const Call& call);
  void Leave(bool aborts);
  /** Waits until NCCL has submitted the work of all calls so far. */
  void AwaitSubmission(const core::InterruptFlag& interrupt);

  const nccl::NcclLibrary& library_;
  nccl::ncclUniqueId id_{};
  /** Guards `handle_` and `state_`: Start, on another thread, may run at the same time as Abort. */
  std::mutex mutex_;
  nccl::ncclComm_t handle_ = nullptr;
  State state_ = State::kFresh;
  std::string failure_;
};

}  // namespace stridelab::collectives

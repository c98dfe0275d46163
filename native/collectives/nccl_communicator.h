// A communicator of NCCL.
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
  /** All ranks in this process. Returns when they have found one another; their calls submit before they
   * return. */
  static std::vector<std::shared_ptr<Communicator>> InitAll(const nccl::NcclLibrary& library,
                                                            std::span<core::Device* const> devices);
  /** One rank whose peers are in other processes and may never come: nothing it does blocks inside NCCL. */
  NcclCommunicator(const nccl::NcclLibrary& library, core::Device& device, const nccl::ncclUniqueId& id,
                   int rank, int size);

  void RequireUsable() override;
  void Start() override;
  bool Progress() override;
  void Launch(std::span<const Call> calls, const core::InterruptFlag& interrupt) override;
  void Finalize() override;
  void Destroy() override;
  void Abort() override;

 private:
  enum class State { kFresh, kLive, kBroken, kGone };

  NcclCommunicator(const nccl::NcclLibrary& library, core::Device& device, nccl::ncclComm_t handle, int rank,
                   int size);
  /** Throws kind `collective`. What the caller did wrong leaves the communicator usable. */
  [[noreturn]] void Fail(const char* call, int result);
  void Check(const char* call, int result) {
    if (result != nccl::kSuccess && result != nccl::kInProgress) Fail(call, result);
  }
  void Issue(const Call& call);
  /** Waits until NCCL has submitted what it was told to. */
  void AwaitSubmission(const core::InterruptFlag& interrupt);

  const nccl::NcclLibrary& library_;
  nccl::ncclUniqueId id_{};
  /** Guards the two below where Start, on another thread, meets Abort. */
  std::mutex mutex_;
  nccl::ncclComm_t handle_ = nullptr;
  State state_ = State::kFresh;
  std::string failure_;
};

}  // namespace stridelab::collectives

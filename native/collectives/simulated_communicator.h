// A communicator of simulated devices: all ranks are in this process, and host code does the work.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "collectives/communicator.h"

namespace stridelab::collectives {

class SimulatedCommunicator : public Communicator {
 public:
  static std::vector<std::shared_ptr<Communicator>> InitAll(std::span<core::Device* const> devices);

  void RequireUsable() override;
  void Start() override {}
  bool Progress() override;
  /** The ranks of the result share a new state, which the first of them to call makes. */
  std::shared_ptr<Communicator> Shrink(const std::vector<int>& excluded) override;
  /** Submits each operation as a single work item, which starts when the streams of all ranks have reached it
   * and ends at the same time on all. Throws kind `argument` if calls of other ranks are missing, which would
   * block forever on GPUs. */
  void Launch(std::span<const Call> calls, const core::InterruptFlag& interrupt) override;
  void Finalize() override { RequireUsable(); }
  void Destroy() override { destroyed_ = true; }
  void Abort() override;

 private:
  /** The state that all ranks share. */
  struct Clique {
    bool aborted = false;
    /** Guards `shrunk`. */
    std::mutex mutex;
    /** Of the communicator without some ranks, by those ranks. */
    std::map<std::vector<int>, std::shared_ptr<Clique>> shrunk;
  };

  SimulatedCommunicator(core::Device& device, int rank, int size, std::shared_ptr<Clique> clique)
      : Communicator(device, rank, size, Backend::kSimulated), clique_(std::move(clique)) {}
  static SimulatedCommunicator& Part(const Call& call) {
    return static_cast<SimulatedCommunicator&>(*call.communicator);
  }

  std::shared_ptr<Clique> clique_;
  bool destroyed_ = false;
};

}  // namespace stridelab::collectives

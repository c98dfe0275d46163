#include "collectives/simulated_communicator.h"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <string>
#include <utility>

#include "collectives/combine.h"
#include "core/error.h"

namespace stridelab::collectives {
namespace {

using Ranks = std::vector<const Call*>;

const std::byte* SourceOf(const Call& call) {
  return driver::HandleFrom<const std::byte*>(call.source.pointer());
}
std::byte* TargetOf(const Call& call) { return driver::HandleFrom<std::byte*>(call.target.pointer()); }

void Move(void* target, const void* source, std::size_t bytes) {
  if (target != source) std::memmove(target, source, bytes);
}

void CheckAlike(const Ranks& ranks) {
  const Call& first = *ranks.front();
  for (const Call* call : ranks) {
    if (call->kind == first.kind && call->count == first.count && call->type == first.type &&
        call->reduction == first.reduction && call->peer == first.peer)
      continue;
    call->Refuse("rank " + std::to_string(call->communicator->rank()) +
                 " and rank 0 differ in operation, count, dtype, op or root");
  }
}

/** Returns the work of an operation. It captures addresses only: held work runs after the calls are freed. */
std::function<void()> WorkOf(const Ranks& ranks) {
  const Call& first = *ranks.front();
  const std::size_t bytes = first.bytes();
  const std::size_t count = first.count;
  std::vector<const std::byte*> sources;
  std::vector<std::byte*> targets;
  for (const Call* call : ranks) {
    sources.push_back(SourceOf(*call));
    targets.push_back(TargetOf(*call));
  }
  const Combination combination{first.type, first.reduction};
  const auto root = static_cast<std::size_t>(first.peer);
  switch (first.kind) {
    case Kind::kAllReduce:
      return [=] { Combine(combination, sources, targets, count); };
    case Kind::kReduce:
      return [=] { Combine(combination, sources, {targets[root]}, count); };
    case Kind::kBroadcast:
      return [=] {
        for (std::byte* target : targets) Move(target, sources[root], bytes);
      };
    case Kind::kReduceScatter:
      return [=] {
        for (std::size_t rank = 0; rank < targets.size(); ++rank) {
          std::vector<const std::byte*> parts = sources;
          for (const std::byte*& part : parts) part += rank * bytes;
          Combine(combination, parts, {targets[rank]}, count);
        }
      };
    case Kind::kAllGather:
      return [=] {
        for (std::byte* target : targets) {
          for (std::size_t rank = 0; rank < sources.size(); ++rank)
            Move(target + rank * bytes, sources[rank], bytes);
        }
      };
    case Kind::kSend:
    case Kind::kReceive:
      break;
  }
  return [] {};
}

/** Submits `work` to the first call's stream, between earlier and later work of all the calls' streams. */
void RunTogether(const Ranks& ranks, const char* name, const std::function<void()>& work) {
  core::Stream& lead = *ranks.front()->stream;
  for (const Call* call : ranks) lead.WaitForStream(*call->stream);
  {
    const core::ContextScope scope = lead.device().Enter();
    const driver::DriverTable& table = lead.device().table();
    const driver::SimulatedWork kernel{name, ranks.size() * ranks.front()->bytes(), work};
    core::Check(table, table.simulateWork(lead.handle(), kernel), "simulateWork");
  }
  for (const Call* call : ranks) call->stream->WaitForStream(lead);
}

/** The calls of one clique that are submitted together. */
struct Round {
  int size = 0;
  /** By rank, in the order of the calls. */
  std::map<int, std::deque<const Call*>> collectives;
  /** By sender and receiver. */
  std::map<std::pair<int, int>, std::deque<const Call*>> sends;
  std::map<std::pair<int, int>, std::deque<const Call*>> receives;
};

void Add(Round& round, const Call& call) {
  const int rank = call.communicator->rank();
  round.size = call.communicator->size();
  if (call.kind == Kind::kSend) {
    round.sends[{rank, call.peer}].push_back(&call);
  } else if (call.kind == Kind::kReceive) {
    round.receives[{call.peer, rank}].push_back(&call);
  } else {
    round.collectives[rank].push_back(&call);
  }
}

std::vector<Ranks> TakeCollectives(const Round& round) {
  std::vector<Ranks> operations;
  for (const auto& [rank, calls] : round.collectives) {
    operations.resize(std::max(operations.size(), calls.size()));
    for (std::size_t index = 0; index < calls.size(); ++index) operations[index].push_back(calls[index]);
  }
  for (const Ranks& ranks : operations) {
    if (ranks.size() != static_cast<std::size_t>(round.size)) {
      ranks.front()->Refuse(std::to_string(ranks.size()) + " of " + std::to_string(round.size) +
                            " ranks called: submit the calls of all ranks together");
    }
    CheckAlike(ranks);
  }
  return operations;
}

/** Takes the pairs of a send and its receive. */
std::vector<Ranks> TakePairs(Round& round) {
  std::vector<Ranks> pairs;
  for (auto& [between, sends] : round.sends) {
    std::deque<const Call*>& receives = round.receives[between];
    for (const Call* send : sends) {
      if (receives.empty()) send->Refuse("rank " + std::to_string(between.second) + " has no matching recv");
      const Call* receive = receives.front();
      receives.pop_front();
      if (send->bytes() != receive->bytes()) {
        send->Refuse(std::to_string(send->bytes()) + " bytes are sent, but the receiver expects " +
                     std::to_string(receive->bytes()));
      }
      pairs.push_back({send, receive});
    }
  }
  for (const auto& [between, receives] : round.receives) {
    if (!receives.empty())
      receives.front()->Refuse("rank " + std::to_string(between.first) + " has no matching send");
  }
  return pairs;
}

}  // namespace

std::vector<std::shared_ptr<Communicator>> SimulatedCommunicator::InitAll(
    std::span<core::Device* const> devices) {
  const auto clique = std::make_shared<Clique>();
  const auto size = static_cast<int>(devices.size());
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (int rank = 0; rank < size; ++rank) {
    core::Device& device = *devices[static_cast<std::size_t>(rank)];
    communicators.push_back(
        std::shared_ptr<Communicator>(new SimulatedCommunicator(device, rank, size, clique)));
  }
  return communicators;
}

void SimulatedCommunicator::RequireUsable() {
  if (destroyed_)
    throw core::Error(core::ErrorKind::kFreed, Place() + ": the communicator was destroyed or aborted");
  if (clique_->aborted) {
    throw core::Error(core::ErrorKind::kCollective,
                      Place() + ": another rank was aborted: abort this one too and create new ones",
                      core::DriverFailure{"ncclCommGetAsyncError", 6, "ncclRemoteError"});
  }
}

std::shared_ptr<Communicator> SimulatedCommunicator::Shrink(const std::vector<int>& excluded) {
  if (destroyed_)
    throw core::Error(core::ErrorKind::kFreed, Place() + ": the communicator was destroyed or aborted");
  std::vector<int> key = excluded;
  std::sort(key.begin(), key.end());
  const std::lock_guard lock(clique_->mutex);
  std::shared_ptr<Clique>& clique = clique_->shrunk[key];
  if (clique == nullptr) clique = std::make_shared<Clique>();
  return std::shared_ptr<Communicator>(new SimulatedCommunicator(
      device(), RankWithout(excluded), size() - static_cast<int>(excluded.size()), clique));
}

bool SimulatedCommunicator::Progress() {
  RequireUsable();
  return true;
}

void SimulatedCommunicator::Abort() {
  if (destroyed_) return;
  destroyed_ = true;
  clique_->aborted = true;
}

void SimulatedCommunicator::Launch(std::span<const Call> calls, const core::InterruptFlag&) {
  std::map<const Clique*, Round> rounds;
  for (const Call& call : calls) {
    call.stream->RequireNoCapture("a collective of simulated devices");
    Add(rounds[Part(call).clique_.get()], call);
  }
  // Check all calls before the first is submitted.
  std::vector<Ranks> operations;
  std::vector<Ranks> pairs;
  for (auto& [clique, round] : rounds) {
    for (Ranks& ranks : TakeCollectives(round)) operations.push_back(std::move(ranks));
    for (Ranks& pair : TakePairs(round)) pairs.push_back(std::move(pair));
  }
  for (const Ranks& ranks : operations) RunTogether(ranks, ranks.front()->name(), WorkOf(ranks));
  for (const Ranks& pair : pairs) {
    RunTogether(pair, "sendRecv",
                [target = TargetOf(*pair[1]), source = SourceOf(*pair[0]), bytes = pair[0]->bytes()] {
                  Move(target, source, bytes);
                });
  }
}

}  // namespace stridelab::collectives

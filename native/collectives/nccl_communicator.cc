#include "collectives/nccl_communicator.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>

#include "core/error.h"

namespace stridelab::collectives {
namespace {

using Clock = std::chrono::steady_clock;

/** Time to poll for a submission without pausing; usually it takes less. */
constexpr auto kSpin = std::chrono::microseconds(200);
constexpr auto kPause = std::chrono::microseconds(50);

core::Error CollectiveFailure(const std::string& message, const char* call, int result) {
  return {core::ErrorKind::kCollective, message, core::DriverFailure{call, result, nccl::ResultName(result)}};
}

std::string Describe(const nccl::NcclLibrary& library, nccl::ncclComm_t handle, const char* call,
                     int result) {
  std::string text = std::string(call) + " failed with " + nccl::ResultName(result) + " (" +
                     std::to_string(result) + "): " + library.ncclGetErrorString(result);
  const char* detail = library.ncclGetLastError(handle);
  if (detail != nullptr && *detail != '\0') text += "; " + std::string(detail);
  return text;
}

}  // namespace

std::vector<std::shared_ptr<Communicator>> NcclCommunicator::InitAll(const nccl::NcclLibrary& library,
                                                                     std::span<core::Device* const> devices) {
  std::vector<int> ordinals;
  for (const core::Device* device : devices) ordinals.push_back(device->ordinal());
  const auto size = static_cast<int>(devices.size());
  std::vector<nccl::ncclComm_t> handles(devices.size());
  {
    // NCCL may change the current device.
    const core::ContextScope scope = devices.front()->Enter();
    const int result = library.ncclCommInitAll(handles.data(), size, ordinals.data());
    if (result != nccl::kSuccess) {
      throw CollectiveFailure(
          Describe(library, nullptr, "ncclCommInitAll", result) + "; set NCCL_DEBUG=INFO for details",
          "ncclCommInitAll", result);
    }
  }
  std::vector<std::shared_ptr<Communicator>> communicators;
  for (int rank = 0; rank < size; ++rank) {
    const auto index = static_cast<std::size_t>(rank);
    communicators.push_back(std::shared_ptr<Communicator>(
        new NcclCommunicator(library, *devices[index], handles[index], rank, size, Backend::kNcclBlocking)));
  }
  return communicators;
}

NcclCommunicator::NcclCommunicator(const nccl::NcclLibrary& library, core::Device& device,
                                   nccl::ncclComm_t handle, int rank, int size, Backend backend)
    : Communicator(device, rank, size, backend), library_(library), handle_(handle), state_(State::kLive) {}

NcclCommunicator::NcclCommunicator(const nccl::NcclLibrary& library, core::Device& device,
                                   const nccl::ncclUniqueId& id, int rank, int size)
    : Communicator(device, rank, size, Backend::kNcclNonblocking), library_(library), id_(id) {}

void NcclCommunicator::Fail(const char* call, int result) {
  std::string message = Place() + ": " + Describe(library_, handle_, call, result);
  if (result != nccl::kInvalidArgument && result != nccl::kInvalidUsage) {
    message +=
        "; the communicator is unusable: abort it in every process and create new ones (set NCCL_DEBUG=INFO "
        "for details)";
    state_ = State::kBroken;
    failure_ = message;
  }
  throw CollectiveFailure(message, call, result);
}

void NcclCommunicator::RequireUsable() {
  if (state_ == State::kGone)
    throw core::Error(core::ErrorKind::kFreed, Place() + ": the communicator was destroyed or aborted");
  if (state_ == State::kBroken)
    throw CollectiveFailure(failure_, "ncclCommGetAsyncError", nccl::kInternalError);
  if (state_ == State::kFresh)
    throw core::Error(core::ErrorKind::kArgument, "the communicator was not started");
}

void NcclCommunicator::Start() {
  const std::lock_guard lock(mutex_);
  if (state_ != State::kFresh) return;
  nccl::ncclConfig config{sizeof(config), nccl::kConfigMagic, nccl::kLeastVersion, 0};
  const core::ContextScope scope = device().Enter();
  const int result = library_.ncclCommInitRankConfig(&handle_, size(), id_, rank(), &config);
  state_ = State::kLive;
  if (result != nccl::kSuccess && result != nccl::kInProgress) handle_ = nullptr;  // Freed by NCCL.
  Check("ncclCommInitRankConfig", result);
}

bool NcclCommunicator::Progress() {
  RequireUsable();
  int error = nccl::kSuccess;
  const core::ContextScope scope = device().Enter();
  const int result = library_.ncclCommGetAsyncError(handle_, &error);
  Check("ncclCommGetAsyncError", result);
  if (error == nccl::kInProgress) return false;
  Check("ncclCommGetAsyncError", error);
  return true;
}

std::shared_ptr<Communicator> NcclCommunicator::Shrink(const std::vector<int>& excluded) {
  if (library_.ncclCommShrink == nullptr) {
    throw core::Error(
        core::ErrorKind::kArgument,
        "NCCL " + nccl::VersionText(library_.version) + " cannot shrink a communicator: it needs NCCL " +
            nccl::VersionText(nccl::kShrinkVersion) +
            " or newer. With this one, abort the communicator and create one of the remaining ranks");
  }
  const core::ContextScope scope = device().Enter();
  std::vector<int> ranks = excluded;
  // A call that does not block sets the handle later, possibly after an abort: then it is never freed.
  auto shrunk = std::make_unique<std::atomic<nccl::ncclComm_t>>(nullptr);
  static_assert(sizeof(*shrunk) == sizeof(nccl::ncclComm_t));
  {
    const std::lock_guard lock(mutex_);
    if (state_ == State::kGone || state_ == State::kFresh) RequireUsable();
    nccl::ncclConfig config{sizeof(config), nccl::kConfigMagic, nccl::kLeastVersion,
                            backend() == Backend::kNcclBlocking ? 1 : 0};
    const int result = library_.ncclCommShrink(handle_, ranks.data(), static_cast<int>(ranks.size()),
                                               reinterpret_cast<nccl::ncclComm_t*>(shrunk.get()), &config,
                                               nccl::kShrinkAbort);
    if (result != nccl::kSuccess && result != nccl::kInProgress) {
      throw CollectiveFailure(Place() + ": " + Describe(library_, handle_, "ncclCommShrink", result),
                              "ncclCommShrink", result);
    }
  }
  while (shrunk->load() == nullptr) {
    std::this_thread::sleep_for(kPause);
    const std::lock_guard lock(mutex_);
    if (state_ != State::kGone) continue;
    shrunk.release();  // NOLINT(bugprone-unused-return-value): NCCL may still write to it.
    RequireUsable();
  }
  return std::shared_ptr<Communicator>(
      new NcclCommunicator(library_, device(), *shrunk, RankWithout(excluded),
                           size() - static_cast<int>(excluded.size()), backend()));
}

void NcclCommunicator::Issue(const Call& call) {
  const void* source = driver::HandleFrom<const void*>(call.source.pointer());
  void* target = driver::HandleFrom<void*>(call.target.pointer());
  const auto type = static_cast<int>(call.type);
  const auto op = static_cast<int>(call.reduction);
  driver::CUstream stream = call.stream->handle();
  switch (call.kind) {
    case Kind::kAllReduce:
      return Check("ncclAllReduce",
                   library_.ncclAllReduce(source, target, call.count, type, op, handle_, stream));
    case Kind::kBroadcast:
      return Check("ncclBroadcast", library_.ncclBroadcast(source == nullptr ? target : source, target,
                                                           call.count, type, call.peer, handle_, stream));
    case Kind::kReduce:
      return Check("ncclReduce",
                   library_.ncclReduce(source, target, call.count, type, op, call.peer, handle_, stream));
    case Kind::kReduceScatter:
      return Check("ncclReduceScatter",
                   library_.ncclReduceScatter(source, target, call.count, type, op, handle_, stream));
    case Kind::kAllGather:
      return Check("ncclAllGather",
                   library_.ncclAllGather(source, target, call.count, type, handle_, stream));
    case Kind::kSend:
      return Check("ncclSend", library_.ncclSend(source, call.count, type, call.peer, handle_, stream));
    case Kind::kReceive:
      return Check("ncclRecv", library_.ncclRecv(target, call.count, type, call.peer, handle_, stream));
  }
}

void NcclCommunicator::AwaitSubmission(const core::InterruptFlag& interrupt) {
  const Clock::time_point start = Clock::now();
  while (!Progress()) {
    if (interrupt.Raised()) {
      state_ = State::kBroken;
      failure_ = Place() + ": a call was interrupted before NCCL had submitted it: abort the communicator";
      interrupt.ThrowIfRaised();
    }
    if (Clock::now() - start > kSpin) std::this_thread::sleep_for(kPause);
  }
}

void NcclCommunicator::Launch(std::span<const Call> calls, const core::InterruptFlag& interrupt) {
  const auto part = [](const Call& call) -> NcclCommunicator& {
    return static_cast<NcclCommunicator&>(*call.communicator);
  };
  const bool elsewhere = backend() == Backend::kNcclNonblocking;
  for (const Call& call : calls) {
    // If another thread submits the work, the handle would name that thread's stream.
    if (elsewhere && driver::HandleValue(call.stream->handle()) == driver::kPerThreadStream) {
      call.Refuse(
          "the per-thread default stream is not supported, because NCCL submits on another thread: pass a "
          "new Stream");
    }
    if (static_cast<int>(call.type) >= static_cast<int>(ElementType::kFloat8e4m3) &&
        library_.version < nccl::kFloat8Version) {
      call.Refuse("NCCL " + nccl::VersionText(library_.version) + " has no 8-bit floats: they need NCCL " +
                  nccl::VersionText(nccl::kFloat8Version));
    }
    if (elsewhere && !part(call).Progress())
      throw core::Error(core::ErrorKind::kArgument, "the communicator is not ready yet: await ready() first");
  }
  const core::ContextScope scope = device().Enter();
  Check("ncclGroupStart", library_.ncclGroupStart());
  try {
    for (const Call& call : calls) part(call).Issue(call);
  } catch (const core::Error&) {
    library_.ncclGroupEnd();  // Its result is ignored: the first failure is reported.
    throw;
  }
  Check("ncclGroupEnd", library_.ncclGroupEnd());
  if (!elsewhere) return;
  for (const Call& call : calls) part(call).AwaitSubmission(interrupt);
}

void NcclCommunicator::Finalize() {
  RequireUsable();
  if (backend() == Backend::kNcclBlocking) return;  // It would block here; Destroy does it.
  const core::ContextScope scope = device().Enter();
  Check("ncclCommFinalize", library_.ncclCommFinalize(handle_));
}

void NcclCommunicator::Leave(bool aborts) {
  const std::lock_guard lock(mutex_);
  if (state_ == State::kGone) return;
  const bool broken = state_ == State::kBroken;
  state_ = State::kGone;
  if (handle_ == nullptr) return;
  const core::ContextScope scope = device().Enter();
  const int result = aborts || broken ? library_.ncclCommAbort(handle_) : library_.ncclCommDestroy(handle_);
  if (result == nccl::kSuccess || result == nccl::kInProgress) return;
  const char* call = aborts ? "ncclCommAbort" : "ncclCommDestroy";
  throw CollectiveFailure(Describe(library_, nullptr, call, result), call, result);
}

}  // namespace stridelab::collectives

#include <algorithm>
#include <climits>
#include <cstring>

#include "binding/objects.h"
#include "binding/parts.h"
#include "binding/promise_worker.h"
#include "collectives/nccl_communicator.h"
#include "collectives/simulated_communicator.h"
#include "collectives/submit.h"

namespace stridelab::binding {
static collectives::Buffer ToBuffer(const Napi::Object& call, const char* storage, const char* offset) {
  if (call.Get(storage).IsNull()) return {};
  return {Option<std::shared_ptr<core::Storage>>(call, storage), Option<std::size_t>(call, offset)};
}

/** Converts a number to a member of an enumeration of `count` members. */
template <typename Enum>
static Enum ToMember(const Napi::Object& call, const char* name, std::size_t count) {
  return static_cast<Enum>(ToInteger({call.Get(name), name}, 0, static_cast<std::int64_t>(count) - 1));
}

static collectives::Call Convert(const Argument& argument, As<collectives::Call>) {
  if (!argument.value.IsObject()) Refuse("a call must be an object");
  const auto call = argument.value.As<Napi::Object>();
  return collectives::Call{
      .kind = ToMember<collectives::Kind>(call, "kind", collectives::kKindNames.size()),
      .communicator = Option<CommunicatorObject>(call, "communicator").held(),
      .stream = Option<std::shared_ptr<core::Stream>>(call, "stream"),
      .source = ToBuffer(call, "source", "sourceOffset"),
      .target = ToBuffer(call, "target", "targetOffset"),
      .count = Option<std::size_t>(call, "count"),
      .type = ToMember<collectives::ElementType>(call, "type", collectives::kElementBytes.size()),
      .reduction = ToMember<collectives::Reduction>(call, "op", collectives::kReductions),
      .peer = Option<Within<int, 0, INT_MAX>>(call, "peer"),
  };
}

namespace {

using Communicator = std::shared_ptr<collectives::Communicator>;

constexpr int kMostRanks = 1 << 24;

Fields OpenNccl(Env env, const std::vector<std::string>& files) {
  const nccl::NcclLibrary& library = nccl::OpenNccl(files);
  return Fields(env).Set("path", library.path).Set("version", nccl::VersionText(library.version));
}

Napi::Uint8Array UniqueId(Env env) {
  const nccl::NcclLibrary& library = nccl::OpenedNccl();
  nccl::ncclUniqueId id{};
  const int result = library.ncclGetUniqueId(&id);
  if (result != nccl::kSuccess) {
    const char* detail = library.ncclGetLastError(nullptr);
    throw core::Error(core::ErrorKind::kCollective,
                      "ncclGetUniqueId failed with " + nccl::ResultName(result) + ": " +
                          library.ncclGetErrorString(result) +
                          (detail != nullptr && *detail != '\0' ? "; " + std::string(detail) : ""),
                      core::DriverFailure{"ncclGetUniqueId", result, nccl::ResultName(result)});
  }
  Napi::Uint8Array bytes = Napi::Uint8Array::New(env, sizeof(id.internal));
  std::memcpy(bytes.Data(), id.internal, sizeof(id.internal));
  return bytes;
}

Communicator Create(core::Device& device, std::span<const std::byte> bytes, const Napi::Value& rank,
                    Within<int, 1, kMostRanks> size) {
  nccl::ncclUniqueId id{};
  if (bytes.size() != sizeof(id.internal))
    Refuse("id has " + std::to_string(bytes.size()) + " bytes, expected 128");
  std::memcpy(id.internal, bytes.data(), sizeof(id.internal));
  const auto place = static_cast<int>(ToInteger({rank, "rank"}, 0, size - 1));
  return std::make_shared<collectives::NcclCommunicator>(nccl::OpenedNccl(), device, id, place, size);
}

std::vector<Communicator> InitAll(const std::vector<core::Device*>& devices) {
  for (auto device = devices.begin(); device != devices.end(); ++device) {
    if (std::find(devices.begin(), device, *device) != device)
      Refuse("devices contains a device twice: each device can be one rank");
    if (&(*device)->driver() != &devices.front()->driver())
      Refuse("devices mixes GPUs and simulated devices");
  }
  if (devices.empty()) Refuse("devices must not be empty");
  const bool simulated = devices.front()->driver().kind() == core::DriverKind::kSimulated;
  return simulated ? collectives::SimulatedCommunicator::InitAll(devices)
                   : collectives::NcclCommunicator::InitAll(nccl::OpenedNccl(), devices);
}

void Submit(const std::vector<collectives::Call>& calls, const core::InterruptFlag& interrupt) {
  collectives::Submit(calls, interrupt);
}

template <void (collectives::Communicator::*kStep)()>
Napi::Value Begin(CommunicatorObject& self) {
  const auto work = [communicator = self.held()](const core::InterruptFlag&) { (*communicator.*kStep)(); };
  return RunAsync(self.Env(), work, self.Value());
}

Napi::Value Shrink(CommunicatorObject& self, const std::vector<Within<int, 0, INT_MAX>>& lost) {
  const auto made = std::make_shared<Communicator>();
  const auto work = [communicator = self.held(), made, excluded = std::vector<int>(lost.begin(), lost.end())](
                        const core::InterruptFlag&) { *made = communicator->Shrink(excluded); };
  return RunAsync(self.Env(), work, self.Value(), [made](Napi::Env env) {
    return Napi::Value(env, Environment::Of(env).New<CommunicatorObject>(*made));
  });
}

constexpr Function kMethodTable[] = {
    Method<Begin<&collectives::Communicator::Start>, Promised>("start"),
    Method<&collectives::Communicator::Progress>("progress"),
    Method<Shrink, Promised>("shrink", "lost"),
    Method<&collectives::Communicator::Finalize>("finalize"),
    Method<Begin<&collectives::Communicator::Destroy>, Promised>("destroy"),
    Method<&collectives::Communicator::Abort>("abort"),
};

constexpr Function kCollectiveTable[] = {
    Bind<OpenNccl>("open", "files"),
    Bind<UniqueId>("uniqueId"),
    Bind<Create>("create", "device", "id", "rank", "size"),
    Bind<InitAll>("initAll", "devices"),
    Bind<Submit>("submit", "calls"),
};

}  // namespace

const Functions kCollectiveCalls = kCollectiveTable;
const Functions CommunicatorObject::kMethods = kMethodTable;

}  // namespace stridelab::binding

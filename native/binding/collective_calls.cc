#include <algorithm>
#include <climits>
#include <cstring>
#include <string>
#include <vector>

#include "binding/arguments.h"
#include "binding/communicator_object.h"
#include "binding/device_object.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/storage_object.h"
#include "binding/tagged_object.h"
#include "collectives/nccl_communicator.h"
#include "collectives/simulated_communicator.h"
#include "collectives/submit.h"
#include "core/error.h"
#include "driver/cuda_library.h"

namespace stridelab::binding {
namespace {

constexpr int kMostRanks = 1 << 24;

Napi::Array ToArray(Napi::Value value, const char* argument) {
  if (value.IsArray()) return value.As<Napi::Array>();
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be an array");
}

Napi::Object Wrap(Napi::Env env, const std::shared_ptr<collectives::Communicator>& communicator) {
  Environment& environment = Environment::Of(env);
  return environment.Construct(environment.communicator_class(), &communicator);
}

Napi::Value Open(const Napi::CallbackInfo& info) {
  std::vector<std::string> files;
  const Napi::Array list = ToArray(info[0], "files");
  for (std::uint32_t index = 0; index < list.Length(); ++index) {
    const Napi::Value file = list.Get(index);
    if (!file.IsString()) throw core::Error(core::ErrorKind::kArgument, "files must be strings");
    files.push_back(file.As<Napi::String>());
  }
  try {
    const nccl::NcclLibrary& library = nccl::OpenNccl(files);
    Napi::Object result = Napi::Object::New(info.Env());
    result.Set("path", library.path);
    result.Set("version", nccl::VersionText(library.version));
    return result;
  } catch (const driver::LibraryUnavailable& failure) {
    throw core::Error(failure.what(), failure.tried());
  }
}

Napi::Value UniqueId(const Napi::CallbackInfo& info) {
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
  Napi::Uint8Array bytes = Napi::Uint8Array::New(info.Env(), sizeof(id.internal));
  std::memcpy(bytes.Data(), id.internal, sizeof(id.internal));
  return bytes;
}

Napi::Value Create(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const HostBytes bytes = ToHostBytes(info[1], "id");
  nccl::ncclUniqueId id{};
  if (bytes.bytes != sizeof(id.internal))
    throw core::Error(core::ErrorKind::kArgument, "id must have 128 bytes");
  std::memcpy(id.internal, bytes.data, sizeof(id.internal));
  const auto size = static_cast<int>(ToInteger(info[3], "size", 1, kMostRanks));
  const auto rank = static_cast<int>(ToInteger(info[2], "rank", 0, size - 1));
  const std::shared_ptr<collectives::Communicator> made =
      std::make_shared<collectives::NcclCommunicator>(nccl::OpenedNccl(), device, id, rank, size);
  return Wrap(info.Env(), made);
}

Napi::Value InitAll(const Napi::CallbackInfo& info) {
  const Napi::Array list = ToArray(info[0], "devices");
  std::vector<core::Device*> devices;
  for (std::uint32_t index = 0; index < list.Length(); ++index) {
    core::Device& device = ToObject<DeviceObject>(list.Get(index), "a device").native();
    if (std::find(devices.begin(), devices.end(), &device) != devices.end())
      throw core::Error(core::ErrorKind::kArgument, "a device can be one rank only");
    if (!devices.empty() && &devices.front()->driver() != &device.driver())
      throw core::Error(core::ErrorKind::kArgument, "the devices must be of one driver");
    devices.push_back(&device);
  }
  if (devices.empty()) throw core::Error(core::ErrorKind::kArgument, "there must be a device at least");
  const bool simulated = devices.front()->driver().kind() == core::DriverKind::kSimulated;
  const auto made = simulated ? collectives::SimulatedCommunicator::InitAll(devices)
                              : collectives::NcclCommunicator::InitAll(nccl::OpenedNccl(), devices);
  Napi::Array result = Napi::Array::New(info.Env(), made.size());
  for (std::uint32_t rank = 0; rank < made.size(); ++rank) result.Set(rank, Wrap(info.Env(), made[rank]));
  return result;
}

collectives::Buffer ToBuffer(const Napi::Object& call, const char* storage, const char* offset) {
  const Napi::Value value = call.Get(storage);
  if (value.IsNull()) return {};
  return {ToObject<StorageObject>(value, storage).native().shared_from_this(),
          ToSize(call.Get(offset), offset)};
}

collectives::Call ToCall(Napi::Value value) {
  if (!value.IsObject()) throw core::Error(core::ErrorKind::kArgument, "a call must be an object");
  const auto call = value.As<Napi::Object>();
  const auto number = [&](const char* name, int most) {
    return static_cast<int>(ToInteger(call.Get(name), name, 0, most));
  };
  return collectives::Call{
      .kind = static_cast<collectives::Kind>(
          number("kind", static_cast<int>(collectives::kKindNames.size()) - 1)),
      .communicator = ToObject<CommunicatorObject>(call.Get("communicator"), "communicator").native(),
      .stream = ToStream(call.Get("stream"), "stream"),
      .source = ToBuffer(call, "source", "sourceOffset"),
      .target = ToBuffer(call, "target", "targetOffset"),
      .count = ToSize(call.Get("count"), "count"),
      .type = static_cast<collectives::ElementType>(
          number("type", static_cast<int>(collectives::kElementBytes.size()) - 1)),
      .reduction = static_cast<collectives::Reduction>(number("op", collectives::kReductions - 1)),
      .peer = number("peer", INT_MAX),
  };
}

Napi::Value Submit(const Napi::CallbackInfo& info) {
  const Napi::Array list = ToArray(info[0], "calls");
  std::vector<collectives::Call> calls;
  calls.reserve(list.Length());
  for (std::uint32_t index = 0; index < list.Length(); ++index) calls.push_back(ToCall(list.Get(index)));
  collectives::Submit(calls, Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

}  // namespace

Napi::Object DefineCollectives(Napi::Env env) {
  Napi::Object collectives = Napi::Object::New(env);
  collectives.Set("open", Entry<Open>(env, "open"));
  collectives.Set("uniqueId", Entry<UniqueId>(env, "uniqueId"));
  collectives.Set("create", Entry<Create>(env, "create"));
  collectives.Set("initAll", Entry<InitAll>(env, "initAll"));
  collectives.Set("submit", Entry<Submit>(env, "submit"));
  return collectives;
}

}  // namespace stridelab::binding

// The functions of NativeBinding (src/native/binding.ts).
#include <napi.h>

#include <utility>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/dlpack_calls.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/event_object.h"
#include "binding/hazards.h"
#include "binding/parts.h"
#include "binding/python_arrays.h"
#include "binding/storage_object.h"
#include "binding/stream_object.h"
#include "binding/tagged_object.h"
#include "core/handover.h"
#include "core/locate.h"
#include "core/module.h"
#include "hazards/look.h"

namespace stridelab::binding {
namespace {

Napi::Value SetErrorFactory(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw core::Error(core::ErrorKind::kArgument, "factory must be a function");
  Environment::Of(info.Env()).SetErrorFactory(info[0].As<Napi::Function>());
  return info.Env().Undefined();
}

Napi::Value SetInterruptFlag(const Napi::CallbackInfo& info) {
  Environment& environment = Environment::Of(info.Env());
  if (info[0].IsNull()) {
    environment.RemoveInterrupt();
    return info.Env().Undefined();
  }
  const bool words =
      info[0].IsTypedArray() && info[0].As<Napi::TypedArray>().TypedArrayType() == napi_int32_array;
  const HostBytes memory = words ? ToHostBytes(info[0], "flag") : HostBytes{nullptr, 0};
  if (memory.bytes < sizeof(std::int32_t)) {
    throw core::Error(core::ErrorKind::kArgument,
                      "flag must be an Int32Array of at least one element, or null");
  }
  Napi::FunctionReference await_stop;
  if (info[1].IsFunction()) await_stop = Napi::Persistent(info[1].As<Napi::Function>());
  environment.SetInterrupt(static_cast<std::int32_t*>(memory.data), info[0].As<Napi::Object>(),
                           std::move(await_stop));
  return info.Env().Undefined();
}

Napi::Value SetLooking(const Napi::CallbackInfo& info) {
  hazards::look::Set(ToBoolean(info[0], "looking"));
  return info.Env().Undefined();
}

Napi::Value Devices(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).Devices(ToDriverKind(info[0], "kind"));
}

Napi::Value CreateStream(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  if (!info[1].IsObject()) throw core::Error(core::ErrorKind::kArgument, "options must be an object");
  const auto options = info[1].As<Napi::Object>();
  const bool blocking = ToBoolean(options.Get("blocking"), "options.blocking");
  const auto priority = ToInteger(options.Get("priority"), "options.priority", INT32_MIN, INT32_MAX);
  return Environment::Of(info.Env()).Wrap(core::Stream::Create(device, blocking, static_cast<int>(priority)));
}

Napi::Value WrapStream(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const std::uint64_t handle = ToAddress(info[1], "handle");
  const auto stream = core::Stream::Wrap(device, handle);
  Environment& environment = Environment::Of(info.Env());
  const bool is_default = handle == driver::kLegacyStream || handle == driver::kPerThreadStream;
  return is_default ? environment.WrapDefault(stream) : environment.Wrap(stream);
}

Napi::Value CreateEvent(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const auto event = std::make_shared<core::Event>(device, ToBoolean(info[1], "timing"));
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.event_class(), &event);
}

Napi::Value WrapEvent(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const auto event = core::Event::Wrap(device, ToAddress(info[1], "handle"));
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.event_class(), &event);
}

/** One number, because making an object costs more than an import may: see `locate` in binding.ts. */
Napi::Value Locate(const Napi::CallbackInfo& info) {
  const auto found = core::Locate(ToAddress(info[0], "pointer"));
  if (!found) return Napi::Number::New(info.Env(), -1);
  const int driver = static_cast<int>(found->device->driver().kind()) << location_shift::kDriver;
  const int ordinal = found->device->ordinal() << location_shift::kOrdinal;
  return Napi::Number::New(info.Env(), driver | ordinal | static_cast<int>(found->kind));
}

Napi::Value Allocate(const Napi::CallbackInfo& info) {
  Environment::Of(info.Env()).releases()->CollectIfWanted();
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const std::size_t bytes = ToSize(info[1], "bytes");
  const StorageHandle handle{core::Storage::Allocate(device, bytes, ToMemoryKind(info[2], "kind")), bytes};
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.storage_class(), &handle);
}

Napi::Value Adopt(const Napi::CallbackInfo& info) {
  Environment& environment = Environment::Of(info.Env());
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const std::uint64_t pointer = ToAddress(info[1], "pointer");
  const std::size_t bytes = ToSize(info[2], "bytes");
  const core::MemoryKind kind = ToMemoryKind(info[3], "kind");
  if (!info[4].IsFunction() && !info[4].IsNull())
    throw core::Error(core::ErrorKind::kArgument, "release must be a function or null");
  const std::size_t pressure =
      info[5].IsUndefined() ? (info[4].IsNull() ? 0 : bytes) : ToSize(info[5], "pressure");
  if (info[4].IsNull()) {
    const core::Release nothing{[] {}, core::ReleasePlace::kAnywhere};
    const StorageHandle handle{core::Storage::Adopt(device, pointer, bytes, kind, nothing), pressure};
    return environment.Construct(environment.storage_class(), &handle);
  }
  ReleaseTable& releases = *environment.releases();
  const std::uint32_t slot = releases.Add(info[4].As<Napi::Function>());
  StorageHandle handle{nullptr, pressure};
  try {
    handle.storage = core::Storage::Adopt(device, pointer, bytes, kind, releases.ReleaseOf(slot));
  } catch (const core::Error&) {
    releases.Forget(slot);
    throw;
  }
  return environment.Construct(environment.storage_class(), &handle);
}

Napi::Value LoadModule(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  const HostBytes image = ToHostBytes(info[1], "image");
  const auto module = core::Module::Load(device, {static_cast<const char*>(image.data), image.bytes});
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.module_class(), &module);
}

Napi::Value Claim(const Napi::CallbackInfo& info) {
  const auto storage = core::Claim(ToAddress(info[0], "token"));
  const StorageHandle handle{storage, storage->bytes()};
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.storage_class(), &handle);
}

Napi::Value SetCollector(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw core::Error(core::ErrorKind::kArgument, "collect must be a function");
  Environment::Of(info.Env()).releases()->SetCollector(info[0].As<Napi::Function>());
  return info.Env().Undefined();
}

Napi::Value DrainReleases(const Napi::CallbackInfo& info) {
  const bool wait = !info[0].IsUndefined() && ToBoolean(info[0], "wait");
  const auto releases = Environment::Of(info.Env()).releases();
  return Napi::Number::New(info.Env(), releases->Drain(info.Env(), wait));
}

Napi::Value ReleaseFailures(const Napi::CallbackInfo& info) {
  const auto& releases = Environment::Of(info.Env()).releases();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("count", releases->failures());
  result.Set("last", releases->last_failure(info.Env()));
  return result;
}

Napi::Value LiveBlocks(const Napi::CallbackInfo& info) {
  const core::LiveBlocks live = core::Storage::CountLive();
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("count", static_cast<double>(live.count));
  result.Set("bytes", static_cast<double>(live.bytes));
  return result;
}

template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Entry<Body>(exports.Env(), name));
}

Napi::Object Start(Napi::Env env, Napi::Object exports) {
  env.SetInstanceData(new Environment(env));
  exports.Set("version", STRIDELAB_VERSION);
  Export<SetErrorFactory>(exports, "setErrorFactory");
  Export<SetInterruptFlag>(exports, "setInterruptFlag");
  Export<SetLooking>(exports, "setLooking");
  Export<Devices>(exports, "devices");
  Export<CreateStream>(exports, "createStream");
  Export<WrapStream>(exports, "wrapStream");
  Export<CreateEvent>(exports, "createEvent");
  Export<WrapEvent>(exports, "wrapEvent");
  Export<Locate>(exports, "locate");
  Export<Allocate>(exports, "allocate");
  Export<Adopt>(exports, "adopt");
  Export<LoadModule>(exports, "loadModule");
  Export<Claim>(exports, "claim");
  Export<SetCollector>(exports, "setCollector");
  Export<DrainReleases>(exports, "drainReleases");
  Export<ReleaseFailures>(exports, "releaseFailures");
  Export<LiveBlocks>(exports, "liveBlocks");
  exports.Set("pendingReleases", Environment::Of(env).releases()->pending_word());
  exports.Set("raw", DefineRawMemory(env));
  exports.Set("recording", DefineRecording(env));
  exports.Set("cublas", DefineCublas(env));
  exports.Set("nvrtc", DefineNvrtc(env));
  exports.Set("dlpack", DefineDlpack(env));
  exports.Set("trace", DefineTrace(env));
  exports.Set("waits", DefineWaits(env));
  exports.Set("exports", DefineExports(env));
  exports.Set("compute", DefineCompute(env));
  exports.Set("collectives", DefineCollectives(env));
  exports.Set("simulated", DefineSimulated(env));
  exports.Set("hazards", DefineHazards(env));
  exports.Set("channels", DefineChannels(env));
  exports.Set("links", DefineLinks(env));
  exports.Set("sharing", DefineSharing(env));
  exports.Set("python", DefinePython(env));
  exports.Set("pythonArrays", DefinePythonArrays(env));
  exports.Set("pythonInterrupts", DefinePythonInterrupts(env));
  exports.Set("libraryMemory", DefineLibraryMemory(env));
  exports.Set("pythonImport", DefinePythonImport(env));
  return exports;
}

}  // namespace

NODE_API_MODULE(stridelab, Start)

}  // namespace stridelab::binding

// The functions of NativeBinding (src/native/binding.ts).
#include <napi.h>

#include <utility>

#include "binding/channel_table.h"
#include "binding/dlpack_fields.h"
#include "binding/kernel_mail.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "core/handover.h"
#include "core/locate.h"
#include "driver/simulated/machine.h"
#include "hazards/look.h"
#include "kernels/interrupt.h"

namespace stridelab::binding {
namespace {

void SetErrorFactory(Environment& environment, const Napi::Function& factory) {
  environment.hooks().error_factory = Napi::Persistent(factory);
}

void SetInterruptFlag(Environment& environment, const Napi::Value& flag, const Napi::Value& await_stop) {
  Hooks::Interrupt& interrupt = environment.hooks().interrupt;
  core::InterruptFlag found;
  Napi::ObjectReference owner;
  Napi::FunctionReference stop;
  if (!flag.IsNull()) {
    const auto words = Convert(Argument{flag, "flag"}, As<std::span<std::int32_t>>{});
    if (words.empty()) Refuse("flag must be an Int32Array of at least one element, or null");
    found = core::InterruptFlag(words.data());
    owner = Napi::Persistent(flag.As<Napi::Object>());
    if (await_stop.IsFunction()) stop = Napi::Persistent(await_stop.As<Napi::Function>());
  }
  // Before the old owner, whose memory the old flag is in, is released.
  interrupt.flag = found;
  kernels::SetInterruptFlag(&environment, found);
  interrupt.owner = std::move(owner);
  interrupt.await_stop = std::move(stop);
}

std::vector<Napi::Object> Devices(Environment& environment, core::DriverKind kind) {
  std::vector<Napi::Object> devices;
  for (const auto& device : core::Driver::Open(kind).devices()) devices.push_back(environment.Wrap(*device));
  return devices;
}

std::shared_ptr<core::Stream> CreateStream(core::Device& device, const Napi::Object& options) {
  return core::Stream::Create(device, Option<bool>(options, "blocking"), Option<int>(options, "priority"));
}

Napi::Object WrapStream(Environment& environment, core::Device& device, Address handle) {
  const auto stream = core::Stream::Wrap(device, handle);
  const bool is_default = handle == driver::kLegacyStream || handle == driver::kPerThreadStream;
  return is_default ? environment.WrapDefault(stream) : environment.Wrap(stream);
}

std::shared_ptr<core::Event> CreateEvent(core::Device& device, bool timing) {
  return std::make_shared<core::Event>(device, timing);
}

std::shared_ptr<core::Event> WrapEvent(core::Device& device, Address handle) {
  return core::Event::Wrap(device, handle);
}

/** Returns a number, because making an object costs more than an import may: see `locate` in binding.ts. */
int Locate(Address pointer) {
  const auto found = core::Locate(pointer);
  if (!found) return -1;
  const int driver = static_cast<int>(found->device->driver().kind()) << location_shift::kDriver;
  const int ordinal = found->device->ordinal() << location_shift::kOrdinal;
  return driver | ordinal | static_cast<int>(found->kind);
}

StorageHandle Allocate(Environment& environment, core::Device& device, std::size_t bytes,
                       core::MemoryKind kind) {
  environment.releases()->CollectIfWanted();
  return {core::Storage::Allocate(device, bytes, kind), bytes};
}

StorageHandle Adopt(Environment& environment, core::Device& device, Address pointer, std::size_t bytes,
                    core::MemoryKind kind, const OrNull<Napi::Function>& release,
                    std::optional<std::size_t> pressure) {
  if (!release.value) {
    const core::Release nothing{[] {}, core::ReleasePlace::kAnywhere};
    return {core::Storage::Adopt(device, pointer, bytes, kind, nothing), pressure.value_or(0)};
  }
  ReleaseTable& releases = *environment.releases();
  const std::uint32_t slot = releases.Add(*release.value);
  try {
    return {core::Storage::Adopt(device, pointer, bytes, kind, releases.ReleaseOf(slot)),
            pressure.value_or(bytes)};
  } catch (const core::Error&) {
    releases.Forget(slot);
    throw;
  }
}

std::shared_ptr<core::Module> LoadModule(core::Device& device, std::span<const std::byte> image) {
  return core::Module::Load(device, {reinterpret_cast<const char*>(image.data()), image.size()});
}

StorageHandle Claim(Address token) {
  auto storage = core::Claim(token);
  const std::size_t bytes = storage->bytes();
  return {std::move(storage), bytes};
}

std::uint32_t DrainReleases(Env env, ReleaseTable& releases, std::optional<bool> wait) {
  return releases.Drain(env, wait.value_or(false));
}

Fields ReleaseFailures(Env env, const ReleaseTable& releases) {
  return Fields(env).Set("count", releases.failures()).Set("last", releases.last_failure(env));
}

Fields LiveBlocks(Env env) {
  const core::LiveBlocks live = core::Storage::CountLive();
  return Fields(env).Set("count", live.count).Set("bytes", live.bytes);
}

constexpr Function kAddonTable[] = {
    Bind<SetErrorFactory>("setErrorFactory", "factory"),
    Bind<SetInterruptFlag>("setInterruptFlag", "flag", "awaitStop"),
    Bind<hazards::look::Set>("setLooking", "looking"),
    Bind<Devices>("devices", "kind"),
    Bind<CreateStream>("createStream", "device", "options"),
    Bind<WrapStream>("wrapStream", "device", "handle"),
    Bind<CreateEvent>("createEvent", "device", "timing"),
    Bind<WrapEvent>("wrapEvent", "device", "handle"),
    Bind<Locate>("locate", "pointer"),
    Bind<Allocate>("allocate", "device", "bytes", "kind"),
    Bind<Adopt>("adopt", "device", "pointer", "bytes", "kind", "release", "pressure"),
    Bind<LoadModule>("loadModule", "device", "image"),
    Bind<Claim>("claim", "token"),
    Bind<&ReleaseTable::SetCollector>("setCollector", "collect"),
    Bind<DrainReleases>("drainReleases", "wait"),
    Bind<ReleaseFailures>("releaseFailures"),
    Bind<LiveBlocks>("liveBlocks"),
};

struct Part {
  const char* name;
  const Functions& functions;
};
constexpr Part kParts[] = {
    {"raw", kRawMemoryCalls},
    {"recording", kRecordingCalls},
    {"keyed", kKeyedCalls},
    {"cublas", kCublasCalls},
    {"nvrtc", kNvrtcCalls},
    {"dlpack", kDlpackCalls},
    {"trace", kTraceCalls},
    {"waits", kWaitCalls},
    {"exports", kExportLogCalls},
    {"compute", kComputeCalls},
    {"kernels", kKernelCalls},
    {"collectives", kCollectiveCalls},
    {"simulated", kSimulatedCalls},
    {"hazards", kHazardCalls},
    {"channels", kChannelCalls},
    {"links", kLinkCalls},
    {"sharing", kSharingCalls},
    {"python", kPythonCalls},
    {"pythonArrays", kPythonArrayCalls},
    {"pythonInterrupts", kPythonInterruptCalls},
    {"libraryMemory", kLibraryMemoryCalls},
    {"pythonImport", kPythonImportCalls},
};

Napi::Object Start(Napi::Env env, Napi::Object) {
  auto* environment = new Environment(env);
  env.SetInstanceData(environment);
  // Deferred work of simulated devices may refer to memory of this environment.
  env.AddCleanupHook([] { driver::simulated::RunHeldWork(); });
  Napi::Object binding = DefineFunctions(env, kAddonTable);
  binding.Set("version", STRIDELAB_VERSION);
  binding.Set("pendingReleases", environment->releases()->pending_word());
  for (const Part& part : kParts) binding.Set(part.name, DefineFunctions(env, part.functions));
  const auto share_fields = [&](const char* part, const DlpackState& state) {
    binding.Get(part).As<Napi::Object>().Set("fields", state.fields.array());
  };
  share_fields("dlpack", environment->dlpack());
  share_fields("pythonImport", environment->python_import());
  binding.Get("kernels").As<Napi::Object>().Set("mail", environment->kernel_mail().word());
  return binding;
}

}  // namespace

NODE_API_MODULE(stridelab, Start)

}  // namespace stridelab::binding

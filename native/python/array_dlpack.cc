// `__dlpack__` and `__dlpack_device__` of arrays (rules 107 to 172).
#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>

#include "dlpack/export.h"
#include "dlpack/order.h"
#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

PyObject* copy_required = nullptr;

/** The first dtype code added after DLPack 1.0, in 1.1 (rule 127). */
constexpr std::uint8_t kFirstCodeOfMinor1 = kDLFloat8_e3m4;
constexpr std::int64_t kNoSynchronization = -1;

[[noreturn]] void RefuseBuffer(const std::string& message) { Raise(api.PyExc_BufferError, message); }

std::string TextOf(const DLDevice& device) {
  return std::string("(") + std::to_string(device.device_type) + ", " + std::to_string(device.device_id) +
         ")";
}

bool Same(const DLDevice& one, const DLDevice& other) {
  return one.device_type == other.device_type && one.device_id == other.device_id;
}

/** True if JAX is the consumer. Before 0.12 it requests only the unversioned struct; its importer checks the
 * dtype, and it never writes. */
bool AskedByJax() { return RunningModule() == "jax._src.dlpack"; }

/**
 * Returns the version of the struct to export; none for the unversioned one (rule 143). A consumer of version
 * 1 must check for later dtypes (rule 109), and PyTorch requests 1.0 but accepts them: they are exported with
 * the version that added them. BufferError if only the unversioned struct is accepted (rule 144).
 */
std::optional<DLPackVersion> VersionFor(const dlpack::Request& request, const ElementType& element) {
  const std::uint32_t least = element.dlpack.code >= kFirstCodeOfMinor1 ? 1 : 0;
  if (request.max_version && request.max_version->major > kOurVersion.major) return kOurVersion;
  if (request.max_version && request.max_version->major == kOurVersion.major)
    return DLPackVersion{kOurVersion.major, std::clamp(request.max_version->minor, least, kOurVersion.minor)};
  if (element.padded || (least > 0 && !AskedByJax())) {
    RefuseBuffer(element.name + " needs DLPack 1." + std::to_string(least) +
                 ", the consumer asked for the unversioned struct (rule 144)");
  }
  return std::nullopt;
}

/** True if a copy is needed (rules 144, 148, 150). */
bool NeedsCopy(const dlpack::Request& request, const DLDevice& own) {
  if (request.copy == true) return true;
  if (!request.device || Same(*request.device, own)) return false;
  const bool readable = own.device_type == kDLCUDAHost || own.device_type == kDLCUDAManaged;
  if (readable && Same(*request.device, {kDLCPU, 0})) return false;
  if (request.copy == false) {
    Raise(copy_required, "copy=False, but exporting from device " + TextOf(own) + " to " +
                             TextOf(*request.device) + " needs a copy (rule 144)");
  }
  return true;
}

/** Throws ValueError for a stream that the device type does not allow (rules 151, 153, 155). */
void CheckStream(const dlpack::Request& request, DLDeviceType type) {
  if (!request.stream) return;
  if (!IsCuda(type)) {
    Raise(api.PyExc_ValueError, "stream is " + std::to_string(*request.stream) +
                                    ", but host memory takes no stream: pass None (rule 153)");
  }
  if (*request.stream == 0) {
    Raise(api.PyExc_ValueError,
          "stream 0 is ambiguous: pass 1 for the legacy or 2 for the per-thread default stream (rule 151)");
  }
  if (*request.stream < kNoSynchronization) {
    Raise(api.PyExc_ValueError,
          "stream is " + std::to_string(*request.stream) + ", expected None, -1, 1, 2 or a stream handle");
  }
}

/** Makes the consumer's stream wait for the array's work, and later work on the array for the consumer's. */
void OrderConsumer(const ExportedArray& array, const dlpack::Request& request, DLDeviceType target) {
  if (!IsCuda(target)) {
    WaitForHost(array);
    return;
  }
  if (request.stream == kNoSynchronization) return;
  const auto handle = static_cast<std::uint64_t>(request.stream.value_or(1));
  // 2 is the default stream of the calling thread: only on JavaScript's thread can later work wait for it
  // (rule 70).
  const bool remember =
      handle != 2 || (array.home != nullptr && array.home->thread == std::this_thread::get_id());
  dlpack::OrderForStream(*array.view, *array.storage, handle, remember);
}

/** Makes a copy through JavaScript's `__dlpack__`, which uses JavaScript's memory manager and streams. */
Owned CopyByJavaScript(PyObject* self, const dlpack::Request& request, std::optional<DLPackVersion> version,
                       const DLDevice& target) {
  const ExportedArray& array = ArrayOf(self);
  const std::shared_ptr<const ArrayHome> home = array.home != nullptr ? array.home : AnyHome();
  if (home == nullptr)
    Raise(api.PyExc_RuntimeError, "the JavaScript environment that would copy the array has ended");
  const Owned arguments = Tuple(Owned::Borrowed(self), request.stream ? Whole(*request.stream) : None(),
                                version ? Whole(version->major) : None(), Whole(version ? version->minor : 0),
                                Whole(target.device_type), Whole(target.device_id));
  return CapsuleByJavaScript(home->copy, arguments);
}

Owned Export(PyObject* self, const dlpack::Request& request,
             const std::shared_ptr<dlpack::ExportRecord>& record) {
  const ExportedArray& array = ArrayOf(self);
  dlpack::Description description = array.view->description();
  RequireForm(array);
  const std::optional<DLPackVersion> version = VersionFor(request, *array.element);
  const DLDevice target = request.device.value_or(description.device);
  CheckStream(request, target.device_type);
  if (NeedsCopy(request, description.device)) {
    if (record != nullptr) record->delegated = true;
    return CopyByJavaScript(self, request, version, target);
  }
  if (array.view->read_only() && !version && !(array.of_jax && AskedByJax())) {
    RefuseBuffer(
        "a read-only array needs max_version (1, 0) or newer, since the unversioned struct would let its "
        "consumer write: pass a copy of the array to this consumer (rule 137)");
  }
  array.view->RequireDlpack();
  OrderConsumer(array, request, target.device_type);
  description.versioned = version.has_value();
  description.version = version.value_or(DLPackVersion{0, 0});
  description.device = target;
  if (record != nullptr) record->versioned = description.versioned;
  return CapsuleOf(dlpack::Export(array.storage, description, record), description.versioned);
}

PyObject* Dlpack(PyObject* self, PyObject* const* values, Size positional, PyObject* names) {
  return CalledByPython([&] {
    const dlpack::Request request = ReadDlpackRequest(values, positional, names);
    const auto record = RecordOfQuestion(dlpack::Way::kPython, ArrayOf(self), request);
    const auto answer = [&] { return Export(self, request, record); };
    return dlpack::Recorded(ArrayOf(self).storage, record, answer, RefusalByPython);
  });
}

PyObject* DlpackDevice(PyObject* self, PyObject*) {
  return CalledByPython([&] {
    const DLDevice device = ArrayOf(self).view->description().device;
    return Tuple(Whole(device.device_type), Whole(device.device_id));
  });
}

/** True if a consumer has taken the tensor, by renaming the capsule (rule 164). Reads one field; needs no
 * GIL. */
bool IsTaken(const void* capsule) {
  const char* name = api.PyCapsule_GetName(static_cast<PyObject*>(const_cast<void*>(capsule)));
  return name == nullptr || std::string_view(name).starts_with("used_");
}

/** The capsule's destructor. Does nothing if a consumer took the tensor, renaming the capsule (rule 167). */
void OnCapsuleGone(PyObject* capsule) {
  const GilGiven given;
  dlpack::ExportLog::EndCapsule(capsule);
  for (const bool versioned : {true, false}) {
    const char* name = versioned ? kVersionedName : kUnversionedName;
    if (api.PyCapsule_IsValid(capsule, name) == 0) continue;
    StridelabDelete(api.PyCapsule_GetPointer(capsule, name), versioned ? 1 : 0);
  }
}

}  // namespace

Method DlpackMethod() {
  return {"__dlpack__", reinterpret_cast<void*>(Dlpack), kFastCallWithKeywords,
          "__dlpack__($self, /, *, stream=None, max_version=None, dl_device=None, copy=None)\n--\n\n"
          "A capsule with a DLPack tensor over the array's memory."};
}

Method DlpackDeviceMethod() {
  return {"__dlpack_device__", reinterpret_cast<void*>(DlpackDevice), kCallWithoutArguments,
          "__dlpack_device__($self, /)\n--\n\nDLPack type and id of the device."};
}

void PrepareDlpack() {
  if (copy_required != nullptr) return;
  const Owned bases = Tuple(Owned::Borrowed(api.PyExc_BufferError), Owned::Borrowed(api.PyExc_ValueError));
  copy_required = Made(api.PyErr_NewException("stridelab.CopyRequiredError", bases.get(), nullptr)).Release();
}

Owned CapsuleOf(void* managed, bool versioned) {
  Owned capsule(api.PyCapsule_New(managed, versioned ? kVersionedName : kUnversionedName, OnCapsuleGone));
  if (capsule) {
    if (dlpack::ExportLog::IsOn()) {
      const auto record = dlpack::RecordOf(managed, versioned);
      if (record != nullptr) dlpack::ExportLog::SetCapsule(record, capsule.get(), IsTaken, RunningModule());
    }
    return capsule;
  }
  StridelabDelete(managed, versioned ? 1 : 0);
  throw Raised{};
}

Owned CapsuleByJavaScript(PyObject* function, const Owned& arguments) {
  Owned result = Made(api.PyObject_Call(function, arguments.get(), nullptr));
  if (TypeOf(result.get()).get() == api.PyCapsule_Type) return result;
  // The class of the exception to raise, and its message.
  const auto told = [&](Size index) {
    PyObject* text = api.PyTuple_GetItem(result.get(), index);
    if (text == nullptr) throw Raised{};
    return ToText(text);
  };
  const bool memory = std::string_view(told(0)) == "MemoryError";
  Raise(memory ? api.PyExc_MemoryError : api.PyExc_BufferError, told(1));
}

void RequireForm(const ExportedArray& array) {
  if (!array.mask_refusal.empty()) RefuseBuffer(array.mask_refusal);
  if (!array.element->dlpack_refusal.empty()) RefuseBuffer(array.element->dlpack_refusal);
}

}  // namespace stridelab::python

#include "binding/python_tensor.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binding/python_scope.h"
#include "binding/python_values.h"
#include "core/error.h"
#include "dlpack/inspect.h"
#include "driver/types.h"

namespace stridelab::binding {
namespace {

using python::Name;

[[noreturn]] void RefuseTensor(const std::string& reason) {
  throw core::Error(core::ErrorKind::kBuffer, reason);
}

struct Names {
  PyObject* dlpack = Name("__dlpack__");
  PyObject* device = Name("__dlpack_device__");
  PyObject* stream = Name("stream");
  PyObject* max_version = Name("max_version");
  PyObject* dl_device = Name("dl_device");
  PyObject* copy = Name("copy");
  PyObject* requires_grad = Name("requires_grad");
  PyObject* is_conj = Name("is_conj");
  PyObject* is_neg = Name("is_neg");
  PyObject* strides = Name("strides");
  PyObject* function = Name("__func__");
  PyObject* is_cuda = Name("is_cuda");
  PyObject* is_cpu = Name("is_cpu");
};

const Names& TheNames() {
  static const Names names;
  return names;
}

Owned WholePair(std::int64_t first, std::int64_t second) {
  return python::Tuple(python::Whole(first), python::Whole(second));
}

Owned CallBare(PyObject* callable) {
  if (api.PyObject_Vectorcall != nullptr) return Made(api.PyObject_Vectorcall(callable, nullptr, 0, nullptr));
  return python::Call(callable);
}

Owned CallMethod(PyObject* object, PyObject* name) {
  if (api.PyObject_VectorcallMethod != nullptr) {
    const std::array<PyObject*, 1> self = {object};
    return Made(api.PyObject_VectorcallMethod(name, self.data(), self.size(), nullptr));
  }
  return CallBare(Made(api.PyObject_GetAttr(object, name)).get());
}

bool Truth(const Owned& value) { return python::IsTrue(value.get()); }

/** Keyword arguments of one call, in the order in which they are added. */
class Keywords {
 public:
  void Add(PyObject* name, Owned value) {
    names_[count_] = name;
    values_.Add(std::move(value));
    ++count_;
  }

  /** Calls with the arguments, which it takes over. */
  Owned Call(PyObject* callable) {
    // The same names follow each other in most calls.
    static auto& kept = *new std::map<std::array<PyObject*, kMost>, Owned>;
    Owned& names = kept[names_];
    if (!names) {
      names = Made(api.PyTuple_New(static_cast<python::Size>(count_)));
      for (std::size_t index = 0; index < count_; ++index) {
        api.PyTuple_SetItem(names.get(), static_cast<python::Size>(index),
                            Owned::Borrowed(names_[index]).Release());
      }
    }
    return CallWith(callable, values_, names.get());
  }

 private:
  static constexpr std::size_t kMost = 4;

  std::array<PyObject*, kMost> names_{};
  PythonArguments values_;
  std::size_t count_ = 0;
};

DLDevice DeviceOf(PyObject* method) {
  const Owned pair = CallBare(method);
  if (!python::IsA(pair.get(), api.PyTuple_Type) || api.PyTuple_Size(pair.get()) != 2)
    RefuseTensor("__dlpack_device__() must return a tuple (type, id) (rule 141)");
  const auto number = [&](python::Size index) {
    // An enumerator of the library is an integer too.
    const Owned whole = Made(api.PyNumber_Index(api.PyTuple_GetItem(pair.get(), index)));
    const auto value = python::ToWhole(whole.get());
    if (!value || *value < INT32_MIN || *value > INT32_MAX)
      RefuseTensor("__dlpack_device__() returned an int outside 32 bits (rule 141)");
    return static_cast<std::int32_t>(*value);
  };
  const auto type = static_cast<DLDeviceType>(number(0));
  return {type, number(1)};
}

/** True if this library can read the memory in place. */
bool IsReachable(DLDeviceType type) { return python::IsCuda(type) || type == kDLCPU || type == kDLCUDAHost; }

/**
 * Returns true if the current exception is the TypeError of a producer older than DLPack 1.0 for an argument
 * that it does not know (rule 145), raised by the call itself or by one that it forwards to. If so, clears
 * it.
 */
bool ClearUnknownArgument() {
  if (api.PyErr_ExceptionMatches(api.PyExc_TypeError) == 0) return false;
  python::ExceptionAside raised;
  const std::string message = raised.Text();
  const auto says = [&](const char* part) { return message.find(part) != std::string::npos; };
  // An exception raised inside a Python function has a traceback.
  const bool refused = says("unexpected keyword") || says("invalid keyword") ||
                       (!raised.has_traceback() &&
                        (says("keyword argument") || says("takes no arguments") || says("takes exactly") ||
                         says("positional argument") || says("incompatible function arguments")));
  if (refused) raised.Drop();
  return refused;
}

Owned StreamArgument(DLDeviceType type, std::uint64_t stream) {
  if (!python::IsCuda(type)) return python::None();
  return Made(api.PyLong_FromUnsignedLongLong(stream));
}

Owned MaxVersion() {
  static PyObject* const version = WholePair(DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION).Release();
  return Owned::Borrowed(version);
}

/** The stream argument for a producer that must not wait, nor make another stream wait (rule 151). */
constexpr long long kNoOrder = -1;

/**
 * Returns the device type of a PyTorch tensor whose `__dlpack__` need not order anything: its `__dlpack__` is PyTorch's own, not one of
 * the object itself, and this library can read its memory. Nullopt otherwise.
 */
std::optional<DLDeviceType> UnorderedType(PyObject* object, PyObject* method,
                                          const python::Producer& producer) {
  if (producer.unordered_dlpack == nullptr) return std::nullopt;
  const Names& names = TheNames();
  const Owned function = python::FindAttribute(method, names.function);
  if (function.get() != producer.unordered_dlpack) return std::nullopt;
  const auto has = [&](PyObject* name) {
    const Owned value = python::FindAttribute(object, name);
    return value && Truth(value);
  };
  if (has(names.is_cuda)) return kDLCUDA;
  if (has(names.is_cpu)) return kDLCPU;
  return std::nullopt;
}

/** Requests the capsule of such a tensor. */
Owned RequestUnordered(PyObject* method, DLDeviceType type, CopyWish copy) {
  const Names& names = TheNames();
  Keywords request;
  request.Add(names.stream, type == kDLCUDA ? python::Whole(kNoOrder) : python::None());
  request.Add(names.max_version, MaxVersion());
  if (copy != CopyWish::kIfNeeded) request.Add(names.copy, python::Boolean(copy == CopyWish::kAlways));
  return request.Call(method);
}

Owned RequestCapsule(PyObject* method, DLDevice device, const TensorRequest& request) {
  const Names& names = TheNames();
  const bool reachable = IsReachable(device.device_type);
  Keywords full;
  full.Add(names.stream, StreamArgument(device.device_type, request.stream));
  full.Add(names.max_version, MaxVersion());
  if (!reachable) full.Add(names.dl_device, WholePair(kDLCPU, 0));
  if (request.copy != CopyWish::kIfNeeded)
    full.Add(names.copy, python::Boolean(request.copy == CopyWish::kAlways));
  try {
    return full.Call(method);
  } catch (const Raised&) {
    if (!ClearUnknownArgument()) throw;
  }
  if (!reachable) {
    RefuseTensor("its data is on DLPack device type " + std::to_string(device.device_type) +
                 ", and its __dlpack__() predates DLPack 1.0, so it cannot copy to the host (rule 147)");
  }
  if (!python::IsCuda(device.device_type)) return CallBare(method);
  Keywords old;
  old.Add(names.stream, StreamArgument(device.device_type, request.stream));
  return old.Call(method);
}

/** Takes the tensor out of the capsule; the caller must delete it from then on (rules 164 to 166). */
dlpack::OwnedTensor TakeCapsule(PyObject* capsule) {
  if (!python::IsA(capsule, api.PyCapsule_Type))
    RefuseTensor("__dlpack__() did not return a capsule (rule 164)");
  const char* held = api.PyCapsule_GetName(capsule);
  const std::string_view name = held == nullptr ? "" : held;
  const bool versioned = name == python::kVersionedName;
  if (name == python::kUsedUnversionedName || name == python::kUsedVersionedName)
    RefuseTensor(dlpack::kConsumed);
  if (!versioned && name != python::kUnversionedName) {
    RefuseTensor("the capsule is named '" + std::string(name) +
                 "', expected 'dltensor' or 'dltensor_versioned' (rule 164)");
  }
  void* managed = api.PyCapsule_GetPointer(capsule, held);
  if (managed == nullptr) throw Raised{};
  const char* used = versioned ? python::kUsedVersionedName : python::kUsedUnversionedName;
  Succeed(api.PyCapsule_SetName(capsule, used));
  return {managed, versioned};
}

/** Returns CuPy's current stream. One of its arrays exists, so its module is imported. */
ProducerStream CupyStream() {
  // Kept for the life of the process.
  static PyObject* const current = [] {
    const Owned module = Made(api.PyImport_ImportModule("cupy.cuda"));
    return Made(api.PyObject_GetAttr(module.get(), Name("get_current_stream"))).Release();
  }();
  static PyObject* const handle = Name("ptr");
  Owned stream = CallBare(current);
  const Owned number = Made(api.PyObject_GetAttr(stream.get(), handle));
  const unsigned long long value = api.PyLong_AsUnsignedLongLong(number.get());
  if (api.PyErr_Occurred() != nullptr) throw Raised{};
  return {value == 0 ? driver::kLegacyStream : value, std::move(stream)};
}

/** Returns a tensor whose producer ordered nothing, with its current stream. */
ProducedTensor InWorkOrder(dlpack::OwnedTensor tensor, const python::Producer& producer) {
  const bool known = !tensor.versioned() || tensor.version().major == DLPACK_MAJOR_VERSION;
  const DLDevice device = known ? tensor.tensor().device : DLDevice{kDLCPU, 0};
  ProducerStream stream = Asking(tensor, [&] { return CurrentStream(producer, device); });
  const std::uint64_t pending = stream.handle;
  return {std::move(tensor), pending, std::move(stream)};
}

}  // namespace

void RefuseLazyTensor(PyObject* object, const python::Producer& producer, DLDataType dtype) {
  if (producer.library != python::Library::kTorch) return;
  const Names& names = TheNames();
  const Owned gradients = python::FindAttribute(object, names.requires_grad);
  if (!gradients) return;  // Not a tensor, such as torch.dtype: there is nothing to refuse.
  if (Truth(gradients)) {
    RefuseTensor(
        "the tensor requires gradients, which an exchange would lose: pass tensor.detach() (rule 158)");
  }
  const bool signed_fraction = dtype.code == kDLComplex || dtype.code == kDLFloat || dtype.code == kDLBfloat;
  if (signed_fraction && Truth(CallMethod(object, names.is_neg))) {
    RefuseTensor(
        "the tensor has its negative bit set, so its memory holds other values: pass tensor.resolve_neg() "
        "(rule 158)");
  }
  if (dtype.code == kDLComplex && Truth(CallMethod(object, names.is_conj))) {
    RefuseTensor(
        "the tensor has its conjugate bit set, so its memory holds other values: pass tensor.resolve_conj() "
        "(rule 158)");
  }
}

ProducerStream CurrentStream(const python::Producer& producer, DLDevice device) {
  if (!python::IsCuda(device.device_type)) return {};
  if (producer.table == nullptr)
    return producer.library == python::Library::kCupy ? CupyStream() : ProducerStream{};
  void* stream = nullptr;
  Succeed(producer.table->current_work_stream(device.device_type, device.device_id, &stream));
  // NULL is the legacy default stream, which is 1 everywhere else.
  return {stream == nullptr ? driver::kLegacyStream : driver::HandleValue(stream), {}};
}

ProducedTensor TensorByTable(PyObject* object, const python::Producer& producer) {
  const python::ExchangeTable& table = *producer.table;
  DLManagedTensorVersioned* managed = nullptr;
  if (table.from_object(object, &managed) != 0 || managed == nullptr) {
    if (api.PyErr_Occurred() != nullptr) throw Raised{};
    RefuseTensor("the exchange table of its class returned no tensor and set no exception (rule 175)");
  }
  return InWorkOrder(dlpack::OwnedTensor(managed, true), producer);
}

std::optional<ProducedTensor> TensorByMethod(PyObject* object, const python::Producer& producer,
                                             const TensorRequest& request) {
  if (python::IsA(object, api.PyCapsule_Type)) {
    dlpack::OwnedTensor bare = TakeCapsule(object);
    // A bare capsule names no stream: it is taken as ready for the legacy default one (rule 160).
    const bool cuda =
        bare.version().major <= DLPACK_MAJOR_VERSION && python::IsCuda(bare.tensor().device.device_type);
    return ProducedTensor{std::move(bare), cuda ? driver::kLegacyStream : 0, {}};
  }
  const Names& names = TheNames();
  const Owned method = python::FindAttribute(object, names.dlpack);
  if (!method) return std::nullopt;
  if (const auto type = UnorderedType(object, method.get(), producer)) {
    const Owned capsule = RequestUnordered(method.get(), *type, request.copy);
    return InWorkOrder(TakeCapsule(capsule.get()), producer);
  }
  const Owned device_method = python::FindAttribute(object, names.device);
  if (!device_method) return std::nullopt;
  const DLDevice device = DeviceOf(device_method.get());
  ProducerStream current = CurrentStream(producer, device);
  const Owned capsule = RequestCapsule(method.get(), device, request);
  return ProducedTensor{TakeCapsule(capsule.get()), python::IsCuda(device.device_type) ? request.stream : 0,
                        std::move(current)};
}

bool StepsAsObject(PyObject* object, const python::Producer& producer, const DLTensor& tensor) {
  if (producer.library != python::Library::kCupy && producer.library != python::Library::kWarp) return true;
  const Owned strides = python::FindAttribute(object, TheNames().strides);
  if (!strides || !python::IsA(strides.get(), api.PyTuple_Type) || tensor.strides == nullptr) return true;
  const std::int64_t itemsize = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  if (itemsize == 0 || tensor.shape == nullptr) return true;  // Refused later, with the reason.
  // Warp exports the components of its vectors as an additional axis of the tensor.
  const python::Size axes = std::min<python::Size>(api.PyTuple_Size(strides.get()), tensor.ndim);
  for (python::Size axis = 0; axis < axes; ++axis) {
    if (tensor.shape[axis] <= 1) continue;
    const auto bytes = python::ToWhole(api.PyTuple_GetItem(strides.get(), axis));
    // CuPy divides negative strides as unsigned numbers, so multiplying back would hide the rounding.
    if (!bytes || *bytes % itemsize != 0 || *bytes / itemsize != tensor.strides[axis]) return false;
  }
  return true;
}

}  // namespace stridelab::binding

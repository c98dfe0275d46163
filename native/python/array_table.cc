// `__dlpack_c_exchange_api__` of arrays, for consumers in C (rules 173 to 176).
#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "core/device.h"
#include "core/driver.h"
#include "dlpack/inspect.h"
#include "dlpack/order.h"
#include "dlpack/owned_tensor.h"
#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

ExportedArray& Require(void* object) {
  auto* array = static_cast<PyObject*>(object);
  if (!IsArrayType(TypeOf(array).get()))
    Raise(api.PyExc_TypeError, "the exchange table belongs to another array type");
  ExportedArray& found = ArrayOf(array);
  RequireForm(found);
  return found;
}

int FromObject(void* object, DLManagedTensorVersioned** out) {
  return CalledByPython(-1, [&] {
    const ExportedArray& array = Require(object);
    const auto record = RecordOfQuestion(dlpack::Way::kPythonTable, array);
    const auto answer = [&] {
      array.view->RequireDlpack();
      dlpack::OrderForWork(*array.view, *array.storage);
      *out = static_cast<DLManagedTensorVersioned*>(array.view->Export(array.storage, record));
      return 0;
    };
    return dlpack::Recorded(array.storage, record, answer, RefusalByPython);
  });
}

int Borrow(void* object, DLTensor* out) {
  return CalledByPython(-1, [&] {
    const ExportedArray& array = Require(object);
    const auto answer = [&] {
      array.view->RequireBorrowable();
      dlpack::OrderForWork(*array.view, *array.storage);
      *out = array.view->Borrow(*array.storage);
      return 0;
    };
    const auto record = RecordOfQuestion(dlpack::Way::kPythonBorrow, array);
    return dlpack::Recorded(array.storage, record, answer, RefusalByPython);
  });
}

int WorkStream(DLDeviceType type, std::int32_t, void** out) {
  return CalledByPython(-1, [&] {
    if (!dlpack::WorkStreamOf(type, out)) {
      Raise(api.PyExc_BufferError,
            "this library has no arrays on device type " + std::to_string(static_cast<std::int32_t>(type)));
    }
    return 0;
  });
}

core::Device& DeviceOf(const DLDevice& device, core::MemoryKind& kind) {
  kind = device.device_type == kDLCUDAHost      ? core::MemoryKind::kPinned
         : device.device_type == kDLCUDAManaged ? core::MemoryKind::kManaged
                                                : core::MemoryKind::kDevice;
  const bool host = device.device_type == kDLCPU;
  const bool gpu = kind != core::MemoryKind::kDevice || device.device_type == kDLCUDA;
  if (!host && !gpu) {
    Raise(api.PyExc_BufferError,
          "device type " + std::to_string(static_cast<std::int32_t>(device.device_type)) +
              " is not supported: expected host, CUDA, pinned or managed memory (rules 132, 133)");
  }
  const auto& devices =
      core::Driver::Open(host ? core::DriverKind::kSimulated : core::DriverKind::kCuda).devices();
  const auto ordinal = static_cast<std::size_t>(device.device_type == kDLCUDA ? device.device_id : 0);
  if (ordinal >= devices.size())
    Raise(api.PyExc_BufferError, "there is no CUDA device " + std::to_string(ordinal));
  return *devices[ordinal];
}

/** Returns the storage of a tensor: the original one if this library exported the tensor, otherwise a new one
 * that takes over the tensor. Sets `offset` to that of the first element. */
std::shared_ptr<core::Storage> StorageOf(dlpack::OwnedTensor& tensor, const dlpack::Inspected& inspected,
                                         std::uint64_t& offset) {
  if (auto own = dlpack::StorageOf(tensor.managed(), tensor.versioned())) {
    offset = inspected.address == 0 ? 0 : inspected.address - own->pointer();
    return own;
  }
  core::MemoryKind kind = core::MemoryKind::kDevice;
  core::Device& device = DeviceOf(tensor.tensor().device, kind);
  const dlpack::Extent extent = inspected.extent;
  offset = static_cast<std::uint64_t>(-extent.start);
  const auto release = [managed = tensor.managed()] { StridelabDelete(managed, 1); };
  const std::uint64_t first = inspected.address - offset;
  auto storage =
      core::Storage::Adopt(device, first, static_cast<std::size_t>(extent.end - extent.start), kind, release);
  static_cast<void>(tensor.Release());
  // The tensor is ready for the work stream only: other streams must wait for that one.
  if (device.driver().kind() == core::DriverKind::kCuda && inspected.address != 0)
    storage->RecordUse(device.LegacyStream(), core::Access::kWrite);
  return storage;
}

Owned ObjectOf(dlpack::OwnedTensor& tensor) {
  dlpack::CheckVersion(tensor);
  const DLTensor& described = tensor.tensor();
  const std::shared_ptr<const ElementType> element = ElementTypeOf(described.dtype);
  const bool padded = (tensor.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  if (element == nullptr || element->padded != padded) {
    Raise(api.PyExc_BufferError, "the tensor's DLPack dtype (" + std::to_string(described.dtype.code) + ", " +
                                     std::to_string(described.dtype.bits) + ", " +
                                     std::to_string(described.dtype.lanes) + ") is not supported (rule 131)");
  }
  const dlpack::Inspected inspected = dlpack::Inspect(described, padded);
  std::vector<std::int64_t> strides(inspected.strides.begin(), inspected.strides.begin() + described.ndim);
  for (std::int64_t& stride : strides) stride *= element->itemsize;
  dlpack::Description description{};
  description.versioned = true;
  description.version = kOurVersion;
  description.flags =
      tensor.flags() & (DLPACK_FLAG_BITMASK_READ_ONLY | DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED);
  description.device = described.device;
  description.dtype = described.dtype;
  description.ndim = described.ndim;
  description.shape = inspected.shape.data();
  description.strides = strides.data();
  auto array = std::make_unique<ExportedArray>();
  array->element = element;
  array->storage = StorageOf(tensor, inspected, description.offset);
  array->view = std::make_shared<dlpack::ArrayView>(description, element->itemsize, element->typestr);
  array->home = AnyHome();
  return Made(NewArray(std::move(array)).Release());
}

int ToObject(DLManagedTensorVersioned* tensor, void** out) {
  return CalledByPython(-1, [&] {
    dlpack::OwnedTensor owned(tensor, true);
    try {
      *out = ObjectOf(owned).Release();
    } catch (...) {
      const ExceptionAside aside;
      owned.Delete();
      throw;
    }
    return 0;
  });
}

/** Allocates with JavaScript's memory manager. Returns a capsule. */
Owned AllocateByJavaScript(const DLTensor& prototype) {
  const std::shared_ptr<const ArrayHome> home = AnyHome();
  if (home == nullptr)
    Raise(api.PyExc_RuntimeError, "the JavaScript environment that would allocate has ended");
  if (prototype.ndim < 0 || prototype.ndim > dlpack::kMostAxes ||
      (prototype.ndim > 0 && prototype.shape == nullptr))
    Raise(api.PyExc_ValueError, "the prototype is not a tensor: expected 0 to 64 axes and a shape");
  const auto [type, id] = prototype.device;
  const auto [code, bits, lanes] = prototype.dtype;
  std::vector<std::int64_t> numbers = {type, id, code, bits, lanes};
  numbers.insert(numbers.end(), prototype.shape, prototype.shape + prototype.ndim);
  return CapsuleByJavaScript(home->allocate, TupleOf(numbers.data(), 5 + prototype.ndim));
}

/** Returns the name of the exception's class, if it is one that consumers are likely to distinguish. */
const char* RaisedName() {
  const std::array<std::pair<PyObject*, const char*>, 4> known = {{{api.PyExc_MemoryError, "MemoryError"},
                                                                   {api.PyExc_BufferError, "BufferError"},
                                                                   {api.PyExc_TypeError, "TypeError"},
                                                                   {api.PyExc_ValueError, "ValueError"}}};
  for (const auto& [kind, name] : known) {
    if (api.PyErr_ExceptionMatches(kind) != 0) return name;
  }
  return "RuntimeError";
}

/** Reports the exception to a caller that uses a callback for errors. */
void TellError(void* context, SetError set_error) {
  const char* kind = RaisedName();
  ExceptionAside raised;
  const std::string message = raised.Text();
  raised.Drop();
  if (set_error != nullptr)
    set_error(context, kind, message.empty() ? "the allocation failed" : message.c_str());
}

/** Implements `allocate` of the table. The caller may be on any thread, with or without the GIL. */
int Allocate(DLTensor* prototype, DLManagedTensorVersioned** out, void* context, SetError set_error) {
  const int state = api.PyGILState_Ensure();
  const int status = CalledByPython(-1, [&] {
    const Owned capsule = AllocateByJavaScript(*prototype);
    void* managed = api.PyCapsule_GetPointer(capsule.get(), kVersionedName);
    if (managed == nullptr) throw Raised{};
    Succeed(api.PyCapsule_SetName(capsule.get(), kUsedVersionedName));
    *out = static_cast<DLManagedTensorVersioned*>(managed);
    return 0;
  });
  if (status != 0) TellError(context, set_error);
  api.PyGILState_Release(state);
  return status;
}

}  // namespace

ExchangeTable* ArrayExchangeTable() {
  static ExchangeTable table = {{kOurVersion, nullptr}, Allocate, FromObject, ToObject, Borrow, WorkStream};
  return &table;
}

}  // namespace stridelab::python

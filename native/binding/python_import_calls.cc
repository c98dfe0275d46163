#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "binding/dlpack_fields.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "binding/python_plain.h"
#include "binding/python_scope.h"
#include "binding/python_tensor.h"
#include "dlpack/export.h"
#include "dlpack/inspect.h"
#include "python/buffer.h"
#include "python/gil.h"
#include "python/producer.h"

namespace stridelab::binding {
namespace {

/** An object, and perhaps a managed tensor: with the GIL held, destroying it costs less than its deleter
 * taking the GIL. */
class Held final : public python::NeedsGil {
 public:
  explicit Held(Owned object, dlpack::OwnedTensor tensor = {})
      : object_(std::move(object)), tensor_(std::move(tensor)) {}

 private:
  Owned object_;
  dlpack::OwnedTensor tensor_;
};

/**
 * Keeps the memory valid: with the handle's lease if it has none yet, or shares one for the same bytes and
 * drops `hold`; otherwise with an additional handle. Returns the handle that holds the lease.
 */
napi_value KeepFor(const Napi::Value& handle, const LeasedRange& range,
                   std::unique_ptr<python::NeedsGil> hold) {
  const Napi::Env env = handle.Env();
  std::unique_ptr<ArrayLease>& lease = PythonHandle::LeaseOf(env, handle);
  if (lease == nullptr) {
    lease = std::make_unique<ArrayLease>(env, range, std::move(hold));
    return handle;
  }
  if (lease->range() == range) {
    lease->Share();
    return handle;
  }
  napi_value other = PythonHandle::Wrap(env, Owned::Borrowed(PythonHandle::Require(env, handle, "object")));
  PythonHandle::LeaseOf(env, other) = std::make_unique<ArrayLease>(env, range, std::move(hold));
  return other;
}

/** Written in place of an offset: the imported object is a JavaScript array. */
constexpr std::int64_t kOwnArray = -2;
/** Written in place of an offset: the result describes the memory, and the fields do not. */
constexpr std::int64_t kDescribed = -3;

enum Via { kAny, kTable, kMethod, kTensor };

CopyWish WishOf(const Napi::Value& copy) {
  if (!copy.IsBoolean()) return CopyWish::kIfNeeded;
  return copy.As<Napi::Boolean>().Value() ? CopyWish::kAlways : CopyWish::kNever;
}

/** A handle, and the object behind it. */
struct Source {
  Napi::Value handle;
  PyObject* object;
};
Source Convert(const Argument& argument, As<Source>) {
  return {argument.value, binding::Convert(argument, As<PyObject*>{})};
}

/** Runs the collector, which may call JavaScript, before the GIL is taken. */
napi_value CollectThenInPython(Call& call, Body body) {
  call.environment().releases()->CollectIfWanted();
  return InPython(call, body);
}

napi_value TakeObject(Env env, Environment& environment, const Source& source, Within<int, kAny, kTensor> via,
                      Address stream, const Napi::Value& copy) {
  DlpackFields& fields = environment.python_import().fields;
  PyObject* object = source.object;
  const TensorRequest request{stream, WishOf(copy)};
  // A Stridelab array that comes back from Python becomes the original array, whatever its dtype.
  if (via == kAny) {
    if (napi_value own = ArrayFromPython(env, object, python::TypeOf(object).get())) {
      fields.SetOffset(kOwnArray);
      return own;
    }
  }
  const python::Producer producer = python::ProducerOf(object);
  std::optional<ProducedTensor> produced;
  if (via != kMethod && producer.table != nullptr) {
    produced = TensorByTable(object, producer);
  } else if (via != kTable) {
    produced = TensorByMethod(object, producer, request);
  }
  if (!produced) return env.Undefined();
  dlpack::OwnedTensor& tensor = produced->tensor;
  dlpack::CheckVersion(tensor);
  if (!Asking(tensor, [&] { return StepsAsObject(object, producer, tensor.tensor()); })) {
    // Its other protocols have strides in bytes.
    if (via == kAny) return env.Undefined();
    throw core::Error(
        core::ErrorKind::kBuffer,
        "its byte strides are not multiples of its itemsize, so its library rounded them: use another "
        "protocol (rule 120)");
  }
  const bool padded = (tensor.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
  const dlpack::Inspected inspected = dlpack::Inspect(tensor.tensor(), padded);
  Asking(tensor, [&] { RefuseLazyTensor(object, producer, tensor.tensor().dtype); });
  if (const auto storage = dlpack::StorageOf(tensor.managed(), tensor.versioned())) {
    const std::uint64_t offset = inspected.address == 0 ? 0 : inspected.address - storage->pointer();
    fields.Write(tensor, inspected, static_cast<std::int64_t>(offset));
    return ToValue(env, StorageHandle{storage});
  }
  fields.Write(tensor, inspected, -1);
  // JAX exports arrays as writable, but they must never be written (rule 137).
  if (producer.library == python::Library::kJax) fields.SetReadOnly();
  const std::uint64_t first = inspected.address - static_cast<std::uint64_t>(-inspected.extent.start);
  fields.SetWord(kAddressWord, first);
  fields.SetWord(kStreamWord, produced->stream);
  fields.SetWord(kProducerWord, produced->producer.handle);
  const LeasedRange range{LeaseKind::kTensor, first,
                          static_cast<std::uint64_t>(inspected.extent.end - inspected.extent.start)};
  return KeepFor(source.handle, range,
                 std::make_unique<Held>(std::move(produced->producer.object), std::move(tensor)));
}

napi_value KeepObject(const Source& source, Address first, std::size_t bytes) {
  return KeepFor(source.handle, {LeaseKind::kObject, first, bytes},
                 std::make_unique<Held>(Owned::Borrowed(source.object)));
}

void End(Env env, const Napi::Value& handle) {
  std::unique_ptr<ArrayLease>& lease = PythonHandle::LeaseOf(env, handle);
  if (lease != nullptr && lease->Leave()) ArrayLease::End(env, std::move(lease));
}

/** Writes the fields and keeps the memory. Returns the owner. */
napi_value KeepPlain(DlpackFields& fields, const PlainArray& array, LeaseKind kind, const Source& source,
                     std::unique_ptr<python::NeedsGil> hold) {
  array.WriteTo(fields);
  return KeepFor(source.handle, {kind, array.first(), array.bytes()}, std::move(hold));
}

napi_value Interface(Env env, Environment& environment, const Source& source, bool cuda, bool described) {
  static PyObject* const names[] = {python::Name("__array_interface__"),
                                    python::Name("__cuda_array_interface__")};
  PyObject* object = source.object;
  DlpackFields& fields = environment.python_import().fields;
  fields.SetOffset(kDescribed);
  const Owned found = python::FindAttribute(object, names[cuda ? 1 : 0]);
  if (!found || found.get() == api._Py_NoneStruct) return env.Null();
  const python::Producer producer = python::ProducerOf(object);
  // What these libraries leave out is added in JavaScript.
  const bool complete =
      producer.library != python::Library::kTorch && producer.library != python::Library::kNumba;
  if (complete && !described) {
    if (const auto array = PlainArray::OfInterface(found.get(), cuda)) {
      return KeepPlain(fields, *array, LeaseKind::kObject, source,
                       std::make_unique<Held>(Owned::Borrowed(object)));
    }
  }
  const napi_value entries = InterfaceOf(env, found.get());
  // PyTorch exports the memory of such a tensor as if it held the tensor's values.
  constexpr DLDataType kAnyValues = {kDLComplex, 64, 1};
  RefuseLazyTensor(object, producer, kAnyValues);
  return entries;
}

const char* Library(PyObject* object) { return python::NameOf(python::ProducerOf(object).library); }

/** For display only: raises nothing, and leaves interrupts to the code that they are meant for. */
napi_value Package(Env env, const Napi::Value& value) {
  PyObject* object = PythonHandle::Find(env, value);
  if (object == nullptr) return env.Undefined();
  const python::Gil gil;
  return ToValue(env, python::PackageOf(object));
}

Address WorkStream(PyObject* object, Within<std::int32_t, 0, INT32_MAX> id) {
  return {CurrentStream(python::ProducerOf(object), {kDLCUDA, id}).handle};
}

std::vector<python::Size> ListOf(const python::Size* numbers, int count) {
  return {numbers, numbers + count};
}

/** Exports the buffer; null for an object without the protocol. */
napi_value Buffer(Env env, Environment& environment, const Source& source, bool described) {
  DlpackFields& fields = environment.python_import().fields;
  fields.SetOffset(kDescribed);
  auto held = std::make_unique<python::HeldBuffer>();
  if (!held->Ask(source.object)) {
    // TypeError means that the object lacks the protocol; other exceptions are passed on.
    if (api.PyErr_ExceptionMatches(api.PyExc_TypeError) == 0) throw Raised{};
    api.PyErr_Clear();
    return env.Null();
  }
  const python::BufferView& view = held->view();
  if (!described) {
    if (const auto array = PlainArray::OfBuffer(view))
      return KeepPlain(fields, *array, LeaseKind::kBuffer, source, std::move(held));
  }
  const Address pointer{driver::HandleValue(view.data)};
  const python::Size length = view.itemsize == 0 ? 0 : view.bytes / view.itemsize;
  Fields description(env);
  description.Set("pointer", pointer)
      .Set("bytes", view.bytes)
      .Set("itemsize", view.itemsize)
      .Set("readOnly", view.read_only != 0)
      .Set("format", view.format == nullptr ? "B" : view.format)
      .Set("shape",
           view.shape == nullptr ? ListOf(&length, view.ndim == 0 ? 0 : 1) : ListOf(view.shape, view.ndim));
  if (view.strides != nullptr) description.Set("strides", ListOf(view.strides, view.ndim));
  const bool indirect =
      view.suboffsets != nullptr && std::any_of(view.suboffsets, view.suboffsets + view.ndim,
                                                [](python::Size suboffset) { return suboffset >= 0; });
  const LeasedRange range{LeaseKind::kBuffer, pointer, static_cast<std::uint64_t>(view.bytes)};
  return description.Set("indirect", indirect).Set("owner", KeepFor(source.handle, range, std::move(held)));
}

constexpr Function kFunctions[] = {
    Bind<TakeObject, CollectThenInPython>("take", "object", "via", "stream", "copy"),
    Python<KeepObject>("keep", "object", "first", "bytes"),
    Bind<End>("end", "object"),
    Python<Interface>("interface", "object", "cuda", "described"),
    Python<Buffer>("buffer", "object", "described"),
    Python<Library>("library", "object"),
    Bind<Package>("package", "object"),
    Python<WorkStream>("workStream", "object", "id"),
};

}  // namespace

const Functions kPythonImportCalls = kFunctions;

}  // namespace stridelab::binding

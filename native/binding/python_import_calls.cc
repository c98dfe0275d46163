#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "binding/arguments.h"
#include "binding/array_lease.h"
#include "binding/dlpack_calls.h"
#include "binding/dlpack_state.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/python_arrays.h"
#include "binding/python_handle.h"
#include "binding/python_interface.h"
#include "binding/python_scope.h"
#include "binding/python_tensor.h"
#include "dlpack/export.h"
#include "dlpack/inspect.h"
#include "python/buffer.h"
#include "python/producer.h"

namespace stridelab::binding {
namespace {

using python::api;
using python::Owned;
using python::PyObject;

/** A managed tensor, whose deleter may need the GIL, which is cheaper to have than to get; and the stream
 * that its library's work goes to, which waits for work here. */
class HeldTensor final : public python::NeedsGil {
 public:
  HeldTensor(dlpack::OwnedTensor tensor, Owned stream)
      : stream_(std::move(stream)), tensor_(std::move(tensor)) {}

 private:
  Owned stream_;
  dlpack::OwnedTensor tensor_;
};

class HeldObject final : public python::NeedsGil {
 public:
  explicit HeldObject(Owned object) : object_(std::move(object)) {}

 private:
  Owned object_;
};

/**
 * Has the memory stay: by the handle's own lease where there is none yet, or one for the same bytes, which
 * leaves `hold` without a purpose; else by a handle more, which is returned.
 */
napi_value KeepFor(const Napi::CallbackInfo& info, const LeasedRange& range,
                   std::unique_ptr<python::NeedsGil> hold) {
  const Napi::Env env = info.Env();
  std::unique_ptr<ArrayLease>& lease = PythonHandle::LeaseOf(env, info[0]);
  if (lease == nullptr) {
    lease = std::make_unique<ArrayLease>(env, range, std::move(hold));
    return info[0];
  }
  if (lease->range() == range) {
    lease->Share();
    return info[0];
  }
  napi_value other = PythonHandle::Wrap(env, Owned::Borrowed(PythonHandle::Require(env, info[0], "object")));
  PythonHandle::LeaseOf(env, other) = std::make_unique<ArrayLease>(env, range, std::move(hold));
  return other;
}

/** In place of an offset: what was taken is an array of JavaScript. */
constexpr std::int64_t kOwnArray = -2;

enum Via { kAny, kTable, kMethod };

CopyWish ToCopyWish(Napi::Value value) {
  if (!value.IsBoolean()) return CopyWish::kIfNeeded;
  return value.As<Napi::Boolean>().Value() ? CopyWish::kAlways : CopyWish::kNever;
}

Napi::Value Take(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  Environment::Of(env).releases()->CollectIfWanted();
  return InPython(env, [&]() -> napi_value {
    DlpackState& state = StateOf(info);
    PyObject* object = PythonHandle::Require(env, info[0], "object");
    const auto via = static_cast<Via>(ToInteger(info[1], "via", kAny, kMethod));
    const TensorRequest request{ToAddress(info[2], "stream"), ToCopyWish(info[3])};
    // An array of ours in Python's hands is itself again, whatever its dtype.
    if (via == kAny) {
      if (napi_value own = ArrayFromPython(env, object, python::TypeOf(object).get())) {
        state.fields.SetOffset(kOwnArray);
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
      // Its other protocols count bytes.
      if (via == kAny) return env.Undefined();
      throw core::Error(core::ErrorKind::kBuffer,
                        "its strides are no multiples of its elements, and its library rounded them: use "
                        "another protocol (rule 120)");
    }
    const bool padded = (tensor.flags() & DLPACK_FLAG_BITMASK_IS_SUBBYTE_TYPE_PADDED) != 0;
    const dlpack::Inspected inspected = dlpack::Inspect(tensor.tensor(), padded);
    Asking(tensor, [&] { RefuseLazyTensor(object, producer, tensor.tensor().dtype); });
    if (const auto storage = dlpack::StorageOf(tensor.managed(), tensor.versioned())) {
      const std::uint64_t offset = inspected.address == 0 ? 0 : inspected.address - storage->pointer();
      state.fields.Write(tensor, inspected, static_cast<std::int64_t>(offset));
      return StorageOfOwn(env, tensor);
    }
    state.fields.Write(tensor, inspected, -1);
    // JAX's arrays look writable, which they never are (rule 137).
    if (producer.library == python::Library::kJax) state.fields.SetReadOnly();
    const std::uint64_t first = inspected.address - static_cast<std::uint64_t>(-inspected.extent.start);
    state.fields.SetWord(kAddressWord, first);
    state.fields.SetWord(kStreamWord, produced->stream);
    state.fields.SetWord(kProducerWord, produced->producer.handle);
    const LeasedRange range{LeaseKind::kTensor, first,
                            static_cast<std::uint64_t>(inspected.extent.end - inspected.extent.start)};
    return KeepFor(info, range,
                   std::make_unique<HeldTensor>(std::move(tensor), std::move(produced->producer.object)));
  });
}

Napi::Value Keep(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    return KeepFor(info, {LeaseKind::kObject, ToAddress(info[1], "first"), ToSize(info[2], "bytes")},
                   std::make_unique<HeldObject>(Owned::Borrowed(object)));
  });
}

Napi::Value End(const Napi::CallbackInfo& info) {
  std::unique_ptr<ArrayLease>& lease = PythonHandle::LeaseOf(info.Env(), info[0]);
  if (lease != nullptr && lease->Leave()) ArrayLease::End(info.Env(), std::move(lease));
  return info.Env().Undefined();
}

Napi::Value Interface(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    ToText(info[1], "name");
    const napi_value entries = InterfaceOf(info.Env(), object, TextToPython(info.Env(), info[1]).get());
    // PyTorch describes the memory of such a tensor as if it held the tensor's values.
    constexpr DLDataType kAny = {kDLComplex, 64, 1};
    if (!Napi::Value(info.Env(), entries).IsNull())
      RefuseLazyTensor(object, python::ProducerOf(object), kAny);
    return entries;
  });
}

Napi::Value Library(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    return static_cast<napi_value>(
        Napi::String::New(info.Env(), python::NameOf(python::ProducerOf(object).library)));
  });
}

/** For people who look: raises nothing, and leaves interrupts to the code that they are for. */
Napi::Value Package(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  PyObject* object = PythonHandle::Find(env, info[0]);
  if (object == nullptr) return env.Undefined();
  const python::Gil gil;
  return Napi::String::New(env, python::PackageOf(object));
}

Napi::Value WorkStream(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&] {
    PyObject* object = PythonHandle::Require(info.Env(), info[0], "object");
    const python::Producer producer = python::ProducerOf(object);
    const auto id = static_cast<std::int32_t>(ToInteger(info[1], "id", 0, INT32_MAX));
    return static_cast<napi_value>(FromAddress(info.Env(), CurrentStream(producer, {kDLCUDA, id}).handle));
  });
}

napi_value List(Napi::Env env, const python::Size* numbers, int count) {
  Napi::Array list = Napi::Array::New(env, static_cast<std::size_t>(count));
  for (int index = 0; index < count; ++index)
    list.Set(static_cast<std::uint32_t>(index), static_cast<double>(numbers[index]));
  return list;
}

Napi::Value Buffer(const Napi::CallbackInfo& info) {
  return InPython(info.Env(), [&]() -> napi_value {
    const Napi::Env env = info.Env();
    PyObject* object = PythonHandle::Require(env, info[0], "object");
    auto held = std::make_unique<python::HeldBuffer>();
    if (!held->Ask(object)) {
      // An object without the protocol is a TypeError; one that cannot do it now is another matter.
      if (api.PyErr_ExceptionMatches(api.PyExc_TypeError) == 0) throw PythonFailure{};
      api.PyErr_Clear();
      return env.Null();
    }
    const python::BufferView& view = held->view();
    Napi::Object described = Napi::Object::New(env);
    const auto address = static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(view.data));
    described.Set("pointer", FromAddress(env, address));
    described.Set("bytes", static_cast<double>(view.bytes));
    described.Set("itemsize", static_cast<double>(view.itemsize));
    described.Set("readOnly", view.read_only != 0);
    described.Set("format", Napi::String::New(env, view.format == nullptr ? "B" : view.format));
    const bool flat = view.shape == nullptr;
    const python::Size length = view.itemsize == 0 ? 0 : view.bytes / view.itemsize;
    described.Set("shape", Napi::Value(env, flat ? List(env, &length, view.ndim == 0 ? 0 : 1)
                                                 : List(env, view.shape, view.ndim)));
    if (view.strides != nullptr)
      described.Set("strides", Napi::Value(env, List(env, view.strides, view.ndim)));
    const bool indirect =
        view.suboffsets != nullptr && std::any_of(view.suboffsets, view.suboffsets + view.ndim,
                                                  [](python::Size suboffset) { return suboffset >= 0; });
    described.Set("indirect", indirect);
    const LeasedRange range{LeaseKind::kBuffer, address, static_cast<std::uint64_t>(view.bytes)};
    described.Set("owner", Napi::Value(env, KeepFor(info, range, std::move(held))));
    return described;
  });
}

}  // namespace

Napi::Object DefinePythonImport(Napi::Env env) {
  auto* state = new DlpackState(env);
  env.AddCleanupHook([](DlpackState* ended) { delete ended; }, state);
  Napi::Object calls = Napi::Object::New(env);
  calls.Set("fields", state->fields.array());
  const auto define = [&]<Napi::Value (*Function)(const Napi::CallbackInfo&)>(const char* name) {
    calls.Set(name, Entry<Function>(env, name, state));
  };
  define.operator()<Take>("take");
  define.operator()<Keep>("keep");
  define.operator()<End>("end");
  define.operator()<Interface>("interface");
  define.operator()<Buffer>("buffer");
  define.operator()<Library>("library");
  define.operator()<Package>("package");
  define.operator()<WorkStream>("workStream");
  return calls;
}

}  // namespace stridelab::binding

#include "binding/python_arrays.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binding/arguments.h"
#include "binding/array_record.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/python_handle.h"
#include "binding/python_values.h"
#include "binding/storage_object.h"
#include "binding/tagged_object.h"
#include "core/error.h"
#include "python/array_dlpack.h"
#include "python/array_object.h"
#include "python/gil.h"
#include "python/raise.h"

namespace stridelab::binding {
namespace {

using python::api;
using python::Owned;
using python::PyObject;

/** What an External of an element type holds. */
using ElementHolder = std::shared_ptr<const python::ElementType>;

constexpr napi_type_tag kElementTag = {0x53545249444c4142, 0x7079656c656d656e};

std::string Text(Napi::Value value) { return value.As<Napi::String>(); }
std::string TextOrNone(Napi::Value value) { return value.IsString() ? Text(value) : std::string(); }

/** Runs `body` with the GIL; what Python raises there, which is none of the caller's doing, is thrown. */
template <typename Body>
Napi::Value WithPython(Body body) {
  const python::Gil gil;
  try {
    return body();
  } catch (const python::Raised&) {
    api.PyErr_Clear();
  } catch (const PythonFailure&) {
    api.PyErr_Clear();
  }
  throw core::Error(core::ErrorKind::kArgument, "Python could not make an object for the array");
}

void FinalizeElement(node_api_basic_env, void* data, void*) { delete static_cast<ElementHolder*>(data); }

Napi::Value WrapElement(Napi::Env env, ElementHolder element) {
  auto holder = std::make_unique<ElementHolder>(std::move(element));
  napi_value external = nullptr;
  if (napi_create_external(env, holder.get(), FinalizeElement, nullptr, &external) != napi_ok)
    throw Napi::Error::New(env);
  static_cast<void>(holder.release());
  if (napi_type_tag_object(env, external, &kElementTag) != napi_ok) throw Napi::Error::New(env);
  return {env, external};
}

const ElementHolder& ToElement(Napi::Value value) {
  bool matches = false;
  void* data = nullptr;
  const bool found = value.IsExternal() &&
                     napi_check_object_type_tag(value.Env(), value, &kElementTag, &matches) == napi_ok &&
                     matches && napi_get_value_external(value.Env(), value, &data) == napi_ok;
  if (!found) throw core::Error(core::ErrorKind::kArgument, "element is no element type");
  return *static_cast<ElementHolder*>(data);
}

PyObject* Kept(Napi::Env env, Napi::Value handle, const char* what) {
  return Owned::Borrowed(PythonHandle::Require(env, handle, what)).Release();
}

Napi::Value Connect(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object hooks = info[0].As<Napi::Object>();
  return WithPython([&]() -> Napi::Value {
    python::PrepareArrayTypes();
    auto home = std::make_shared<python::ArrayHome>();
    home->thread = std::this_thread::get_id();
    home->copy = Kept(env, hooks.Get("copy"), "copy");
    home->allocate = Kept(env, hooks.Get("allocate"), "allocate");
    home->version = static_cast<int>(ToInteger(hooks.Get("version"), "version", 0, 3));
    home->names_stream = ToBoolean(hooks.Get("namesStream"), "namesStream");
    PythonState& state = Environment::Of(env).python();
    state.view = Napi::Persistent(hooks.Get("view").As<Napi::Function>());
    state.adopt = Napi::Persistent(hooks.Get("adopt").As<Napi::Function>());
    if (state.arrays != nullptr) state.arrays->ended = true;
    state.arrays = home;
    python::OfferHome(home);
    return env.Undefined();
  });
}

Napi::Value DefineElement(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const Napi::Object told = info[0].As<Napi::Object>();
  auto element = std::make_shared<python::ElementType>();
  element->name = Text(told.Get("name"));
  element->key = Text(told.Get("key"));
  element->format = TextOrNone(told.Get("format"));
  element->typestr = TextOrNone(told.Get("typestr"));
  element->dlpack_refusal = TextOrNone(told.Get("dlpackRefusal"));
  element->itemsize = ToInteger(told.Get("itemsize"), "itemsize", 1, INT32_MAX);
  element->padded = ToBoolean(told.Get("padded"), "padded");
  element->dlpack = {static_cast<std::uint8_t>(ToInteger(told.Get("code"), "code", 0, UINT8_MAX)),
                     static_cast<std::uint8_t>(ToInteger(told.Get("bits"), "bits", 0, UINT8_MAX)),
                     static_cast<std::uint16_t>(ToInteger(told.Get("lanes"), "lanes", 0, UINT16_MAX))};
  if (told.Get("descr").IsExternal()) {
    const python::Gil gil;
    element->descr = Kept(env, told.Get("descr"), "descr");
  }
  if (element->dlpack.bits != 0) python::RememberElementType(element);
  return WrapElement(env, std::move(element));
}

/** The record of an array that has one. */
ArrayRecord& ToRecord(Napi::Value value) {
  ArrayRecord* record = ArrayRecord::Find(value.Env(), value);
  if (record == nullptr) throw core::Error(core::ErrorKind::kArgument, "the array was not recorded");
  return *record;
}

Napi::Value Attach(const Napi::CallbackInfo& info) {
  ToRecord(info[0]).SetElement(ToElement(info[1]), ToBoolean(info[2], "ofJax"));
  return info.Env().Undefined();
}

std::unique_ptr<python::ExportedArray> ExportOf(napi_env env, const ArrayRecord& record) {
  auto array = std::make_unique<python::ExportedArray>();
  array->storage = record.Lock();
  array->view = record.shared_view();
  array->element = record.element();
  array->of_jax = record.of_jax();
  array->home = Environment::Of(env).python().arrays;
  array->origin = record.link();
  return array;
}

Napi::Value ExportMasked(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const ArrayRecord& record = ToRecord(info[0]);
  return WithPython([&]() -> Napi::Value {
    auto array = ExportOf(env, record);
    array->mask = ArrayToPython(env, info[1]);
    array->mask_refusal = Text(info[2]);
    Owned object = python::Made(python::NewArray(std::move(array)).Release());
    return {env, PythonHandle::Wrap(env, std::move(object))};
  });
}

Napi::Value Capsule(const Napi::CallbackInfo& info) {
  void* managed = nullptr;
  int versioned = 0;
  if (StridelabCapsuleTake(info.Env(), info[0], &managed, &versioned) != napi_ok)
    throw core::Error(core::ErrorKind::kArgument, "capsule is none, or was consumed");
  return WithPython([&]() -> Napi::Value {
    Owned capsule = python::CapsuleOf(managed, versioned != 0);
    return {info.Env(), PythonHandle::Wrap(info.Env(), std::move(capsule))};
  });
}

Napi::Value NumbersOf(Napi::Env env, const std::int64_t* numbers, std::int32_t count) {
  const Napi::Array list = Napi::Array::New(env, static_cast<std::size_t>(count));
  for (std::int32_t index = 0; index < count; ++index)
    list.Set(static_cast<std::uint32_t>(index), Napi::Number::New(env, static_cast<double>(numbers[index])));
  return list;
}

/** For an array that JavaScript no longer has: a new one over the storage. */
Napi::Value AdoptArray(Napi::Env env, const python::ExportedArray& array) {
  Environment& environment = Environment::Of(env);
  const dlpack::ArrayView& view = *array.view;
  const StorageHandle handle{array.storage, array.storage->bytes()};
  const Napi::Value storage = environment.Construct(environment.storage_class(), &handle);
  const Napi::Value shape = NumbersOf(env, view.shape(), view.ndim());
  const Napi::Value strides = NumbersOf(env, view.byte_strides(), view.ndim());
  return environment.python().adopt.Call(
      {storage, Napi::String::New(env, array.element->key), shape, strides,
       Napi::Number::New(env, static_cast<double>(view.description().offset)),
       Napi::Boolean::New(env, view.read_only())});
}

}  // namespace

Owned ArrayToPython(napi_env env, napi_value value) {
  const ArrayRecord* record = ArrayRecord::Find(env, value);
  if (record == nullptr || record->element() == nullptr) return Owned();
  if (record->forgotten()) throw core::Error(core::ErrorKind::kFreed, "the array was freed");
  return Checked(python::NewArray(ExportOf(env, *record)).Release());
}

napi_value ArrayFromPython(Napi::Env env, PyObject* object, const PyObject* type) {
  if (!python::IsArrayType(type)) return nullptr;
  const PythonState& state = Environment::Of(env).python();
  if (state.arrays == nullptr) return nullptr;
  const python::ExportedArray& array = python::ArrayOf(object);
  const auto* link = static_cast<const RecordLink*>(array.origin.get());
  const bool ours = link != nullptr && link->home == static_cast<napi_env>(env) && link->record != nullptr;
  napi_value original = ours ? link->record->Array() : nullptr;
  return original != nullptr ? state.view.Call({original}) : AdoptArray(env, array);
}

Napi::Object DefinePythonArrays(Napi::Env env) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("connect", Entry<Connect>(env, "connect"));
  object.Set("defineElement", Entry<DefineElement>(env, "defineElement"));
  object.Set("attach", Entry<Attach>(env, "attach"));
  object.Set("exportMasked", Entry<ExportMasked>(env, "exportMasked"));
  object.Set("capsule", Entry<Capsule>(env, "capsule"));
  return object;
}

}  // namespace stridelab::binding

// JavaScript arrays in Python.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "binding/array_record.h"
#include "binding/exchange.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "binding/python_scope.h"
#include "python/array_members.h"
#include "python/array_object.h"
#include "python/gil.h"
#include "python/raise.h"

namespace stridelab::binding {
class ElementTypeObject : public NativeObject<ElementTypeObject, std::shared_ptr<const python::ElementType>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kElementType, "NativeElementType", 0x7079656c656d656e};
  using NativeObject::NativeObject;
};
ElementTypeObject* ObjectFor(As<const python::ElementType>);

/** Returns the record of an array that has one. */
static ArrayRecord& Convert(const Argument& argument, As<ArrayRecord>) {
  ArrayRecord* record = ArrayRecord::Find(argument.value.Env(), argument.value);
  if (record == nullptr) Refuse("the array was not recorded");
  return *record;
}

namespace {

std::string OptionalText(const Napi::Object& object, const char* name) {
  return Option<OrNull<std::string>>(object, name).value.value_or("");
}

/** A frame with the GIL: exceptions that Python raises in it are not the caller's mistake. */
napi_value WithGil(Call& call, Body body) {
  const python::Gil gil;
  try {
    return body(call);
  } catch (const Raised&) {
    api.PyErr_Clear();
  }
  Refuse("Python could not create an object for the array");
}

PyObject* Kept(const Napi::Object& object, const char* name) {
  return Owned::Borrowed(Option<PyObject*>(object, name)).Release();
}

void ConnectArrays(PythonState& state, const Napi::Object& hooks) {
  python::PrepareArrayTypes();
  auto home = std::make_shared<python::ArrayHome>();
  home->thread = std::this_thread::get_id();
  home->copy = Kept(hooks, "copy");
  home->allocate = Kept(hooks, "allocate");
  home->version = Option<Within<int, 0, 3>>(hooks, "version");
  home->names_stream = Option<bool>(hooks, "namesStream");
  state.view = Napi::Persistent(Option<Napi::Function>(hooks, "view"));
  state.adopt = Napi::Persistent(Option<Napi::Function>(hooks, "adopt"));
  if (state.arrays != nullptr) state.arrays->ended = true;
  state.arrays = home;
  python::OfferHome(home);
}

std::shared_ptr<const python::ElementType> DefineElement(const Napi::Object& fields) {
  auto element = std::make_shared<python::ElementType>();
  element->name = Option<std::string>(fields, "name");
  element->key = Option<std::string>(fields, "key");
  element->format = OptionalText(fields, "format");
  element->typestr = OptionalText(fields, "typestr");
  element->dlpack_refusal = OptionalText(fields, "dlpackRefusal");
  element->itemsize = Option<Within<std::int64_t, 1, INT32_MAX>>(fields, "itemsize");
  element->padded = Option<bool>(fields, "padded");
  element->dlpack = {Option<Within<std::uint8_t, 0, UINT8_MAX>>(fields, "code"),
                     Option<Within<std::uint8_t, 0, UINT8_MAX>>(fields, "bits"),
                     Option<Within<std::uint16_t, 0, UINT16_MAX>>(fields, "lanes")};
  if (fields.Get("descr").IsExternal()) {
    const python::Gil gil;
    element->descr = Kept(fields, "descr");
  }
  if (element->dlpack.bits != 0) python::RememberElementType(element);
  return element;
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

Handle ExportMasked(Env env, const ArrayRecord& record, const Napi::Value& mask, const std::string& refusal) {
  auto array = ExportOf(env, record);
  array->mask = ArrayToPython(env, mask);
  array->mask_refusal = refusal;
  return {python::Made(python::NewArray(std::move(array)).Release())};
}

Handle Capsule(const Napi::Value& capsule) {
  dlpack::OwnedTensor tensor = TakeFrom(capsule);
  const bool versioned = tensor.versioned();
  return {python::CapsuleOf(tensor.Release(), versioned)};
}

/** Makes a new array over the storage, if the JavaScript array no longer exists. */
napi_value AdoptArray(Env env, const python::ExportedArray& array) {
  const dlpack::ArrayView& view = *array.view;
  const auto list = [&](const std::int64_t* numbers) {
    return ToValue(env, std::vector<std::int64_t>(numbers, numbers + view.ndim()));
  };
  return CallJavaScript(Environment::Of(env).python().adopt.Value(),
                        {ToValue(env, StorageHandle{array.storage, array.storage->bytes()}),
                         ToValue(env, array.element->key), list(view.shape()), list(view.byte_strides()),
                         ToValue(env, view.description().offset), ToValue(env, view.read_only())});
}

constexpr Function kPythonArraysTable[] = {
    Bind<ConnectArrays, WithGil>("connect", "hooks"),
    Bind<DefineElement>("defineElement", "element"),
    Bind<&ArrayRecord::SetElement>("attach", "array", "element", "ofJax"),
    Bind<ExportMasked, WithGil>("exportMasked", "array", "mask", "maskRefusal"),
    Bind<Capsule, WithGil>("capsule", "capsule"),
};

}  // namespace

Owned ArrayToPython(napi_env env, napi_value value) {
  const ArrayRecord* record = ArrayRecord::Find(env, value);
  if (record == nullptr || record->element() == nullptr) return Owned();
  if (record->forgotten()) throw core::Error(core::ErrorKind::kFreed, "the array was freed");
  return Made(python::NewArray(ExportOf(env, *record)).Release());
}

napi_value ArrayFromPython(Napi::Env env, PyObject* object, const PyObject* type) {
  if (!python::IsArrayType(type)) return nullptr;
  const PythonState& state = Environment::Of(env).python();
  if (state.arrays == nullptr) return nullptr;
  const python::ExportedArray& array = python::ArrayOf(object);
  const auto* link = static_cast<const RecordLink*>(array.origin.get());
  const bool ours = link != nullptr && link->home == static_cast<napi_env>(env) && link->record != nullptr;
  napi_value original = ours ? link->record->Array() : nullptr;
  if (original == nullptr) return AdoptArray({env}, array);
  return CallJavaScript(state.view.Value(), {original});
}

const Functions kPythonArrayCalls = kPythonArraysTable;

}  // namespace stridelab::binding

#include "binding/python_handle.h"

#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "python/gil.h"

namespace stridelab::binding {
namespace {

/** Null where `value` is no External of ours. */
PythonHandle* HandleIn(napi_env env, napi_value value) {
  void* data = nullptr;
  if (napi_get_value_external(env, value, &data) != napi_ok) return nullptr;
  return Living<PythonHandle>::Knows(data) ? static_cast<PythonHandle*>(data) : nullptr;
}

}  // namespace

PythonHandle::PythonHandle(python::PyObject* object) : object_(object) {
  live_.fetch_add(1, std::memory_order_relaxed);
}

PythonHandle::~PythonHandle() {
  if (object_ == nullptr) return;
  live_.fetch_sub(1, std::memory_order_relaxed);
  python::DropLater(object_);
}

void PythonHandle::Finalize(node_api_basic_env env, void* data, void*) {
  auto* handle = static_cast<PythonHandle*>(data);
  if (handle->lease_ != nullptr) ArrayLease::End(env, std::move(handle->lease_));
  delete handle;
}

napi_value PythonHandle::Wrap(napi_env env, python::Owned object) {
  auto* handle = new PythonHandle(object.Release());
  napi_value external = nullptr;
  if (napi_create_external(env, handle, Finalize, nullptr, &external) == napi_ok) return external;
  delete handle;
  throw Napi::Error::New(env);
}

python::PyObject* PythonHandle::Find(napi_env env, napi_value value) {
  const PythonHandle* handle = HandleIn(env, value);
  if (handle == nullptr) return nullptr;
  if (handle->object_ == nullptr)
    throw core::Error(core::ErrorKind::kFreed, "this Python object was let go of");
  return handle->object_;
}

python::PyObject* PythonHandle::Require(napi_env env, napi_value value, const char* argument) {
  python::PyObject* object = Find(env, value);
  if (object != nullptr) return object;
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " is not a Python object");
}

std::unique_ptr<ArrayLease>& PythonHandle::LeaseOf(napi_env env, napi_value value) {
  PythonHandle* handle = HandleIn(env, value);
  if (handle == nullptr) throw core::Error(core::ErrorKind::kArgument, "object is not a Python object");
  return handle->lease_;
}

void PythonHandle::Release(napi_env env, napi_value value) {
  PythonHandle* handle = HandleIn(env, value);
  if (handle == nullptr) throw core::Error(core::ErrorKind::kArgument, "object is not a Python object");
  if (handle->object_ == nullptr) return;
  live_.fetch_sub(1, std::memory_order_relaxed);
  python::api.Py_DecRef(std::exchange(handle->object_, nullptr));
}

}  // namespace stridelab::binding

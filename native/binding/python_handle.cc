#include "binding/python_handle.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "python/gil.h"

namespace stridelab::binding {
namespace {

/** The most recently used live handles, indexed by address. Only one thread at a time has handles. */
constinit std::array<std::atomic<const void*>, 256> recent{};

std::atomic<const void*>& RecentPlace(const void* handle) {
  return recent[(reinterpret_cast<std::uintptr_t>(handle) >> 5) % recent.size()];
}

/** Returns the handle in `value`, or null if it is no External of this addon. */
PythonHandle* HandleIn(napi_env env, napi_value value) {
  void* data = nullptr;
  if (napi_get_value_external(env, value, &data) != napi_ok) return nullptr;
  std::atomic<const void*>& place = RecentPlace(data);
  if (place.load(std::memory_order_relaxed) != data) {
    if (!Living<PythonHandle>::Knows(data)) return nullptr;
    place.store(data, std::memory_order_relaxed);
  }
  return static_cast<PythonHandle*>(data);
}

}  // namespace

PythonHandle::PythonHandle(python::PyObject* object) : object_(object) {
  live_.fetch_add(1, std::memory_order_relaxed);
}

PythonHandle::~PythonHandle() {
  std::atomic<const void*>& place = RecentPlace(this);
  if (place.load(std::memory_order_relaxed) == this) place.store(nullptr, std::memory_order_relaxed);
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
  if (handle->object_ == nullptr) throw core::Error(core::ErrorKind::kFreed, "this Python object was freed");
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

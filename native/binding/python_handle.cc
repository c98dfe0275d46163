#include "binding/python_handle.h"

#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/exit.h"

namespace stridelab::binding {
namespace {

/** Ranges smaller than this are not reported to V8: the objects around them weigh as much. */
constexpr std::uint64_t kLight = 4096;

std::uint64_t MachineMemory() {
  static const std::uint64_t bytes = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) *
                                     static_cast<std::uint64_t>(sysconf(_SC_PAGE_SIZE));
  return bytes;
}

/** The most recently used live handles, indexed by address. Only one thread at a time has handles. */
constinit std::array<std::atomic<const void*>, 256> recent{};

std::atomic<const void*>& RecentPlace(const void* handle) {
  return recent[(reinterpret_cast<std::uintptr_t>(handle) >> 5) % recent.size()];
}

/** Returns the handle in `value`, or null if it is not an External of this addon. */
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

/** Returns the handle in `value`. Throws kind `argument` if there is none. */
PythonHandle& NeededHandle(napi_env env, napi_value value) {
  PythonHandle* handle = HandleIn(env, value);
  if (handle == nullptr) throw core::Error(core::ErrorKind::kArgument, "object is not a Python object");
  return *handle;
}

}  // namespace

ArrayLease::ArrayLease(Napi::Env env, const LeasedRange& range, std::unique_ptr<python::NeedsGil> hold)
    : range_(range), hold_(std::move(hold)), releases_(Environment::Of(env).releases()) {
  Weigh(env, 1);
}

void ArrayLease::Weigh(node_api_basic_env env, int sign) {
  if (range_.bytes < kLight) return;
  const std::int64_t change = sign * static_cast<std::int64_t>(range_.bytes);
  std::int64_t reported = 0;
  napi_adjust_external_memory(env, change, &reported);
  releases_->AddPressure(change, MachineMemory(), false);
}

void ArrayLease::End(node_api_basic_env env, std::unique_ptr<ArrayLease> lease) {
  if (core::ProcessIsExiting()) {
    // Its deleter may need something that was torn down before (rule 172).
    static_cast<void>(lease->hold_.release());
    return;
  }
  lease->Weigh(env, -1);
  python::DropLater(std::move(lease->hold_));
  // A single pending sweep serves all leases.
  thread_local bool sweep_due = false;
  if (std::exchange(sweep_due, true)) return;
  lease->releases_->Defer([] {
    sweep_due = false;
    const python::Gil gil;
  });
}

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
  return NeededHandle(env, value).lease_;
}

void PythonHandle::Release(napi_env env, napi_value value) {
  PythonHandle& handle = NeededHandle(env, value);
  if (handle.object_ == nullptr) return;
  live_.fetch_sub(1, std::memory_order_relaxed);
  python::api.Py_DecRef(std::exchange(handle.object_, nullptr));
}

}  // namespace stridelab::binding

// A Python object as JavaScript holds it: an External that nobody but the addon can make or read.
#pragma once

#include <napi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "binding/array_lease.h"
#include "binding/object.h"
#include "python/owned.h"

namespace stridelab::binding {

class PythonHandle {
 public:
  /** A new External that owns the reference. The GIL is held. */
  static napi_value Wrap(napi_env env, python::Owned object);
  /** Borrowed from the handle. Null where `value` is no handle; throws kind `freed` for one that was
   * released. */
  static python::PyObject* Find(napi_env env, napi_value value);
  /** Borrowed from the handle. Throws kind `argument` for anything else, kind `freed` for one that was released. */
  static python::PyObject* Require(napi_env env, napi_value value, const char* argument);
  /** Lets the object go now. The GIL is held. Nothing happens the second time. */
  static void Release(napi_env env, napi_value value);
  /** The lease of arrays over memory of the object; null where there is none. It outlives Release. */
  static std::unique_ptr<ArrayLease>& LeaseOf(napi_env env, napi_value value);
  /** Handles of this process that own an object. */
  static std::int64_t CountLive() { return live_.load(std::memory_order_relaxed); }

 private:
  explicit PythonHandle(python::PyObject* object);
  ~PythonHandle();
  static void Finalize(node_api_basic_env env, void* data, void* hint);

  python::PyObject* object_;
  std::unique_ptr<ArrayLease> lease_;
  const Living<PythonHandle> living_{this};
  static inline std::atomic<std::int64_t> live_ = 0;
};

}  // namespace stridelab::binding

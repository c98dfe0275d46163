// Handle of a Python object in JavaScript: an External that only the addon can make or read.
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
  /** Makes an External that owns the reference. The GIL is held. */
  static napi_value Wrap(napi_env env, python::Owned object);
  /** Returns the object, borrowed from the handle. Null if `value` is not a handle; throws kind `freed` if it
   * was released. */
  static python::PyObject* Find(napi_env env, napi_value value);
  /** Returns the object, borrowed. Throws kind `argument` if `value` is no handle, `freed` if it was
   * released. */
  static python::PyObject* Require(napi_env env, napi_value value, const char* argument);
  /** Releases the reference to the object now. The GIL is held. A second call does nothing. */
  static void Release(napi_env env, napi_value value);
  /** The lease of arrays over the object's memory; null if there is none. It outlives Release. */
  static std::unique_ptr<ArrayLease>& LeaseOf(napi_env env, napi_value value);
  /** Returns the number of handles of this process that own an object. */
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

// Handle of a Python object in JavaScript, an External that only the addon can make or read; and the lease
// that keeps the memory of the object valid while arrays use it.
#pragma once

#include <napi.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "binding/object.h"
#include "python/gil.h"
#include "python/owned.h"

namespace stridelab::binding {

enum class LeaseKind { kTensor, kObject, kBuffer };

struct LeasedRange {
  LeaseKind kind;
  std::uint64_t first;
  std::uint64_t bytes;

  bool operator==(const LeasedRange&) const = default;
};

/**
 * Keeps memory of a Python object valid for arrays. The object's handle owns it, so that a typical array
 * needs no extra Node-API object: arrays over the same bytes of one object share a lease. It ends when the
 * last of them leaves, or with the handle, which arrays keep alive. V8 counts the bytes, unless they are few.
 */
class ArrayLease {
 public:
  /** JavaScript thread. `hold` is destroyed with the GIL held. */
  ArrayLease(Napi::Env env, const LeasedRange& range, std::unique_ptr<python::NeedsGil> hold);
  ArrayLease(const ArrayLease&) = delete;
  ArrayLease& operator=(const ArrayLease&) = delete;
  ~ArrayLease() = default;

  const LeasedRange& range() const { return range_; }
  void Share() { ++uses_; }
  /** Removes one array. Returns true if it was the last, and the caller must call End. */
  bool Leave() { return --uses_ == 0; }
  /**
   * Ends an unused lease. JavaScript thread, even inside the garbage collector: it never waits for the GIL.
   * The next entry into Python, or a turn of the event loop, destroys `hold`.
   */
  static void End(node_api_basic_env env, std::unique_ptr<ArrayLease> lease);

 private:
  void Weigh(node_api_basic_env env, int sign);

  LeasedRange range_;
  std::uint64_t uses_ = 1;
  std::unique_ptr<python::NeedsGil> hold_;
  std::shared_ptr<ReleaseTable> releases_;
};

class PythonHandle {
 public:
  /** Makes an External that owns the reference. The GIL is held. */
  static napi_value Wrap(napi_env env, python::Owned object);
  /** Returns the object, borrowed from the handle. Null if `value` is not a handle; throws kind `freed` if it
   * was released. */
  static python::PyObject* Find(napi_env env, napi_value value);
  /** Returns the object, borrowed. Throws kind `argument` if `value` is not a handle, `freed` if it was
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

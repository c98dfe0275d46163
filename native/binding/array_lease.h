// The lease that keeps the memory of a Python object valid while arrays use it.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "binding/release_table.h"
#include "python/gil.h"

namespace stridelab::binding {

/** The kind of object that keeps the memory valid. */
enum class LeaseKind { kTensor, kObject, kBuffer };

/** The byte range that a lease covers. */
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
   * Ends an unused lease. JavaScript thread, also inside the collector: it never waits for the GIL. The next
   * entry into Python, or a turn of the event loop, destroys `hold`.
   */
  static void End(node_api_basic_env env, std::unique_ptr<ArrayLease> lease);

 private:
  void Weigh(node_api_basic_env env, int sign);

  LeasedRange range_;
  std::uint64_t uses_ = 1;
  std::unique_ptr<python::NeedsGil> hold_;
  std::shared_ptr<ReleaseTable> releases_;
};

}  // namespace stridelab::binding

// What keeps the memory of a Python object in place while arrays look at it.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "binding/release_table.h"
#include "python/gil.h"

namespace stridelab::binding {

/** By what memory is kept. */
enum class LeaseKind { kTensor, kObject, kBuffer };

/** The bytes that a lease is for. */
struct LeasedRange {
  LeaseKind kind;
  std::uint64_t first;
  std::uint64_t bytes;

  bool operator==(const LeasedRange&) const = default;
};

/**
 * Belongs to the handle of the object, so that the usual array costs no object of Node-API: arrays over the
 * same bytes of one object have one lease. It ends with the last of them that says so, or with the handle,
 * which arrays keep. V8 is told of more than a few bytes meanwhile.
 */
class ArrayLease {
 public:
  /** JavaScript thread. `hold` is destroyed with the GIL. */
  ArrayLease(Napi::Env env, const LeasedRange& range, std::unique_ptr<python::NeedsGil> hold);
  ArrayLease(const ArrayLease&) = delete;
  ArrayLease& operator=(const ArrayLease&) = delete;
  ~ArrayLease() = default;

  const LeasedRange& range() const { return range_; }
  void Share() { ++uses_; }
  /** One array less. True where that was the last, and the lease is to End. */
  bool Leave() { return --uses_ == 0; }
  /**
   * Of a lease that nobody uses. JavaScript thread, also inside the collector: without the GIL, which a busy
   * thread of Python may keep for long. Whoever enters Python next lets go, or a turn of the event loop.
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

// The array of numbers that describes a tensor between JavaScript and native code
// (src/interchange/dlpack/fields.ts).
#pragma once

#include <napi.h>

#include <array>
#include <cstdint>
#include <cstring>

#include "binding/call.h"
#include "dlpack/export.h"
#include "dlpack/inspect.h"
#include "dlpack/owned_tensor.h"
#include "generated/words.h"

namespace stridelab::binding {

using namespace stridelab::field;

inline constexpr std::size_t kFieldCount = kStrides + dlpack::kMostAxes;
static_assert(kStrides - kShape == dlpack::kMostAxes);

/** A Float64Array of tensor fields: faster to pass than arguments, and every size here is exact in a double.
 */
class DlpackFields {
 public:
  explicit DlpackFields(Napi::Env env);

  Napi::Value array() const { return array_.Value(); }
  double* values() const { return values_; }
  void SetWord(std::size_t field, std::uint64_t word) { std::memcpy(values_ + field, &word, sizeof word); }
  void SetOffset(std::int64_t offset) { SetInteger(kOffset, offset); }
  /** Marks the tensor read-only, in addition to the fields that Write sets. */
  void SetReadOnly() {
    values_[kFlags] =
        static_cast<double>(static_cast<unsigned>(values_[kFlags]) | DLPACK_FLAG_BITMASK_READ_ONLY);
  }
  void SetInteger(std::size_t field, std::int64_t value) { values_[field] = static_cast<double>(value); }
  std::int64_t Integer(std::size_t field) const { return static_cast<std::int64_t>(values_[field]); }

  /** Reads the description, whose shape and strides are placed in `layout`. Throws kind `argument`. */
  dlpack::Description Read(dlpack::AxesBuffer& layout) const;
  void Write(const dlpack::OwnedTensor& owned, const dlpack::Inspected& inspected, std::int64_t offset);
  /** Writes the fields that do not depend on the version of a struct. */
  void Write(const DLTensor& tensor, std::uint64_t flags, const dlpack::Inspected& inspected,
             std::int64_t offset);

 private:
  Napi::ObjectReference array_;
  double* values_;
};

/** The state that DLPack calls keep from one call to the next. */
struct DlpackState {
  explicit DlpackState(Napi::Env env) : fields(env) {}

  DlpackFields fields;
  /** Set by `take`, until `adoptTaken` or `dropTaken`. */
  dlpack::OwnedTensor taken;
  dlpack::Inspected inspected{};
};

/** The state of `dlpack`; `pythonImport` has a separate one. */
inline DlpackState& Read(Call& call, As<DlpackState>) { return call.environment().dlpack(); }

}  // namespace stridelab::binding

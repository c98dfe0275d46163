// Ordinary descriptions of arrays, as nearly all are, read without a JavaScript object for each entry.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "binding/dlpack_fields.h"
#include "dlpack/inspect.h"
#include "python/buffer.h"

namespace stridelab::binding {

/** An array interface or a buffer that a tensor describes completely. */
class PlainArray {
 public:
  /**
   * Reads a dictionary; with `cuda` it is a `__cuda_array_interface__`. Nullopt for anything unusual: a mask, fields, another byte order,
   * a type other than its standard one, a value that is invalid. Runs no Python code, raises nothing.
   */
  static std::optional<PlainArray> OfInterface(python::PyObject* dictionary, bool cuda);
  /** Reads a buffer; nullopt for a format of several parts, rows behind pointers and odd strides. */
  static std::optional<PlainArray> OfBuffer(const python::BufferView& view);

  /** The address of the first byte; 0 without elements. */
  std::uint64_t first() const {
    return inspected_.address + static_cast<std::uint64_t>(inspected_.extent.start);
  }
  std::uint64_t bytes() const {
    return static_cast<std::uint64_t>(inspected_.extent.end - inspected_.extent.start);
  }
  void WriteTo(DlpackFields& fields) const;

 private:
  PlainArray() = default;

  bool Inspect(std::uint64_t address, DLDevice device);

  DLDataType dtype_{};
  std::int32_t ndim_ = 0;
  std::array<std::int64_t, dlpack::kMostAxes> shape_;
  /** In elements, as given, also of axes with one element; unused if `compact_`. */
  std::array<std::int64_t, dlpack::kMostAxes> strides_;
  bool compact_ = false;
  bool read_only_ = false;
  std::int64_t version_ = 0;
  std::uint64_t stream_ = 0;
  DLDevice device_{};
  dlpack::Inspected inspected_;
};

}  // namespace stridelab::binding

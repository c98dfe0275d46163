// The layouts that JavaScript passes: numbers in an order that each call names.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>

#include "compute/layout.h"
#include "core/storage.h"

namespace stridelab::binding {

/** Takes numbers one by one. All throw kind `argument`. */
class LayoutReader {
 public:
  explicit LayoutReader(Napi::Value layout);

  /** A whole number from 0. */
  std::int64_t NextCount();
  /** A whole number. */
  std::int64_t NextBytes();
  /** A rank of at most 64, and as many lengths. */
  compute::Extents NextShape();
  /** An offset and `axes` strides. */
  compute::Strided NextOperand(std::size_t axes);
  void RequireEnd() const;

 private:
  double Next();

  const double* numbers_ = nullptr;
  std::size_t count_ = 0;
  std::size_t at_ = 0;
};

/** Throws kind `bounds` where elements of the operand over these axes leave the storage. */
void RequireInside(const core::Storage& storage, const compute::Extents& shape,
                   const compute::Strided& operand, std::size_t itemsize);

}  // namespace stridelab::binding

// Matrix products by cuBLASLt, as operations of our streams.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <memory>

#include "core/storage.h"
#include "core/stream.h"
#include "core/wait.h"
#include "driver/cublas_lt_library.h"

namespace stridelab::core {

/** A matrix in the library's column-major eyes. */
struct CublasMatrix {
  std::uint64_t rows;
  std::uint64_t columns;
  /** Elements from a column to the next. */
  std::int64_t leading;
  /** Elements from a matrix of the batch to the next. */
  std::int64_t batch_stride;
  bool transposed;

  auto operator<=>(const CublasMatrix&) const = default;  // NOLINT(modernize-use-nullptr)
};

/** `d = op(a) op(b)`, by the numbers of cudaDataType and cublasComputeType_t. */
struct CublasProduct {
  int type;
  int compute_type;
  int scale_type;
  std::int32_t batch;
  CublasMatrix a;
  CublasMatrix b;
  CublasMatrix d;

  auto operator<=>(const CublasProduct&) const = default;  // NOLINT(modernize-use-nullptr)
};

/** A matrix in a block of memory. */
struct CublasOperand {
  Storage* storage;
  std::uint64_t offset;
};

/**
 * False where the library has no way for such a product: nothing was submitted then. The way that its
 * heuristic chooses is kept for the process. `workspace` may be used until the operation is done.
 */
bool RunCublasProduct(const driver::CublasLtLibrary& library, const std::shared_ptr<Stream>& stream,
                      const CublasProduct& product, const CublasOperand& a, const CublasOperand& b,
                      const CublasOperand& d, Storage& workspace, const InterruptFlag& interrupt);

}  // namespace stridelab::core

// Matrix products with cuBLASLt, submitted as operations of a `Stream`.
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

/** A matrix in column-major order, as cuBLASLt expects it. */
struct CublasMatrix {
  std::uint64_t rows;
  std::uint64_t columns;
  /** Stride between columns, in elements. */
  std::int64_t leading;
  /** Stride between matrices of the batch, in elements. */
  std::int64_t batch_stride;
  bool transposed;

  auto operator<=>(const CublasMatrix&) const = default;  // NOLINT(modernize-use-nullptr)
};

/** The product `d = op(a) op(b)`; its types are values of cudaDataType and cublasComputeType_t. */
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
 * Submits a product. Returns false, with nothing submitted, if cuBLASLt has no algorithm for it. The choice
 * of its heuristic is cached for the process. `workspace` is in use until the operation is done.
 */
bool RunCublasProduct(const driver::CublasLtLibrary& library, const std::shared_ptr<Stream>& stream,
                      const CublasProduct& product, const CublasOperand& a, const CublasOperand& b,
                      const CublasOperand& d, Storage& workspace, const InterruptFlag& interrupt);

}  // namespace stridelab::core

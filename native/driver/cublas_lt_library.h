// cuBLASLt, NVIDIA's library of matrix products, opened at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/types.h"

namespace stridelab::driver {

using CublasLtHandle = struct cublasLtContext*;
using CublasLtMatmulDesc = struct cublasLtMatmulDescOpaque*;
using CublasLtMatrixLayout = struct cublasLtMatrixLayoutOpaque*;
using CublasLtPreference = struct cublasLtMatmulPreferenceOpaque*;

/** cublasLtMatmulAlgo_t. */
struct CublasLtAlgo {
  std::array<std::uint64_t, 8> data;
};

/** cublasLtMatmulHeuristicResult_t. */
struct CublasLtHeuristic {
  CublasLtAlgo algo;
  std::size_t workspace_bytes;
  int state;
  float waves;
  std::array<int, 4> reserved;
};

enum CublasLtMatmulDescAttribute : int { kMatmulDescTransposeA = 3, kMatmulDescTransposeB = 4 };
enum CublasLtLayoutAttribute : int { kLayoutBatchCount = 5, kLayoutBatchStride = 6 };
enum CublasLtPreferenceAttribute : int { kPreferenceMaxWorkspace = 1 };

/** The functions of cublasLt.h that are called, by name. Results are cublasStatus_t, 0 on success. */
struct CublasLtLibrary {
  std::string path;

  std::size_t (*cublasLtGetVersion)() = nullptr;
  const char* (*cublasLtGetStatusString)(int status) = nullptr;
  int (*cublasLtCreate)(CublasLtHandle* handle) = nullptr;
  int (*cublasLtMatmulDescCreate)(CublasLtMatmulDesc* desc, int compute_type, int scale_type) = nullptr;
  int (*cublasLtMatmulDescDestroy)(CublasLtMatmulDesc desc) = nullptr;
  int (*cublasLtMatmulDescSetAttribute)(CublasLtMatmulDesc desc, int attribute, const void* value,
                                        std::size_t bytes) = nullptr;
  int (*cublasLtMatrixLayoutCreate)(CublasLtMatrixLayout* layout, int type, std::uint64_t rows,
                                    std::uint64_t columns, std::int64_t leading) = nullptr;
  int (*cublasLtMatrixLayoutDestroy)(CublasLtMatrixLayout layout) = nullptr;
  int (*cublasLtMatrixLayoutSetAttribute)(CublasLtMatrixLayout layout, int attribute, const void* value,
                                          std::size_t bytes) = nullptr;
  int (*cublasLtMatmulPreferenceCreate)(CublasLtPreference* preference) = nullptr;
  int (*cublasLtMatmulPreferenceDestroy)(CublasLtPreference preference) = nullptr;
  int (*cublasLtMatmulPreferenceSetAttribute)(CublasLtPreference preference, int attribute, const void* value,
                                              std::size_t bytes) = nullptr;
  int (*cublasLtMatmulAlgoGetHeuristic)(CublasLtHandle handle, CublasLtMatmulDesc desc,
                                        CublasLtMatrixLayout a, CublasLtMatrixLayout b,
                                        CublasLtMatrixLayout c, CublasLtMatrixLayout d,
                                        CublasLtPreference preference, int wanted, CublasLtHeuristic* results,
                                        int* found) = nullptr;
  int (*cublasLtMatmul)(CublasLtHandle handle, CublasLtMatmulDesc desc, const void* alpha, const void* a,
                        CublasLtMatrixLayout a_layout, const void* b, CublasLtMatrixLayout b_layout,
                        const void* beta, const void* c, CublasLtMatrixLayout c_layout, void* d,
                        CublasLtMatrixLayout d_layout, const CublasLtAlgo* algo, void* workspace,
                        std::size_t workspace_bytes, CUstream stream) = nullptr;
};

/** Opens the first cuBLASLt of the list; later calls return the same one. Throws LibraryUnavailable. */
const CublasLtLibrary& OpenCublasLt(const std::vector<std::string>& files);

}  // namespace stridelab::driver

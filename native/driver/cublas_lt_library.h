// cuBLASLt, NVIDIA's library of matrix products, opened at run time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "driver/optional_library.h"
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
enum CublasLtPreferenceAttribute : int {
  kPreferenceMaxWorkspace = 1,
  kPreferenceAlignmentA = 5,
  kPreferenceAlignmentB = 6,
  kPreferenceAlignmentC = 7,
  kPreferenceAlignmentD = 8
};

/** The functions of cublasLt.h that are called, by name. Results are cublasStatus_t, 0 on success. */
struct CublasLtLibrary : OpenedLibrary {
  using OpenedLibrary::OpenedLibrary;

  std::size_t (*cublasLtGetVersion)() = Find("cublasLtGetVersion");
  const char* (*cublasLtGetStatusString)(int status) = Find("cublasLtGetStatusString");
  int (*cublasLtCreate)(CublasLtHandle* handle) = Find("cublasLtCreate");
  int (*cublasLtMatmulDescCreate)(CublasLtMatmulDesc* desc, int compute_type,
                                  int scale_type) = Find("cublasLtMatmulDescCreate");
  int (*cublasLtMatmulDescDestroy)(CublasLtMatmulDesc desc) = Find("cublasLtMatmulDescDestroy");
  int (*cublasLtMatmulDescSetAttribute)(CublasLtMatmulDesc desc, int attribute, const void* value,
                                        std::size_t bytes) = Find("cublasLtMatmulDescSetAttribute");
  int (*cublasLtMatrixLayoutCreate)(CublasLtMatrixLayout* layout, int type, std::uint64_t rows,
                                    std::uint64_t columns,
                                    std::int64_t leading) = Find("cublasLtMatrixLayoutCreate");
  int (*cublasLtMatrixLayoutDestroy)(CublasLtMatrixLayout layout) = Find("cublasLtMatrixLayoutDestroy");
  int (*cublasLtMatrixLayoutSetAttribute)(CublasLtMatrixLayout layout, int attribute, const void* value,
                                          std::size_t bytes) = Find("cublasLtMatrixLayoutSetAttribute");
  int (*cublasLtMatmulPreferenceCreate)(CublasLtPreference* preference) =
      Find("cublasLtMatmulPreferenceCreate");
  int (*cublasLtMatmulPreferenceDestroy)(CublasLtPreference preference) =
      Find("cublasLtMatmulPreferenceDestroy");
  int (*cublasLtMatmulPreferenceSetAttribute)(CublasLtPreference preference, int attribute, const void* value,
                                              std::size_t bytes) =
      Find("cublasLtMatmulPreferenceSetAttribute");
  int (*cublasLtMatmulAlgoGetHeuristic)(CublasLtHandle handle, CublasLtMatmulDesc desc,
                                        CublasLtMatrixLayout a, CublasLtMatrixLayout b,
                                        CublasLtMatrixLayout c, CublasLtMatrixLayout d,
                                        CublasLtPreference preference, int wanted, CublasLtHeuristic* results,
                                        int* found) = Find("cublasLtMatmulAlgoGetHeuristic");
  int (*cublasLtMatmul)(CublasLtHandle handle, CublasLtMatmulDesc desc, const void* alpha, const void* a,
                        CublasLtMatrixLayout a_layout, const void* b, CublasLtMatrixLayout b_layout,
                        const void* beta, const void* c, CublasLtMatrixLayout c_layout, void* d,
                        CublasLtMatrixLayout d_layout, const CublasLtAlgo* algo, void* workspace,
                        std::size_t workspace_bytes, CUstream stream) = Find("cublasLtMatmul");

  bool Usable() const { return complete(); }
};

/** Opens the first cuBLASLt of the list; later calls return the same one. Throws LibraryUnavailable. */
const CublasLtLibrary& OpenCublasLt(const std::vector<std::string>& files);

}  // namespace stridelab::driver

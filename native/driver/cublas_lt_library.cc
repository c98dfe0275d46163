#include "driver/cublas_lt_library.h"

#include "driver/optional_library.h"

namespace stridelab::driver {
namespace {

bool Fill(SymbolLoader& load, CublasLtLibrary& library) {
  load("cublasLtGetVersion", library.cublasLtGetVersion);
  load("cublasLtGetStatusString", library.cublasLtGetStatusString);
  load("cublasLtCreate", library.cublasLtCreate);
  load("cublasLtMatmulDescCreate", library.cublasLtMatmulDescCreate);
  load("cublasLtMatmulDescDestroy", library.cublasLtMatmulDescDestroy);
  load("cublasLtMatmulDescSetAttribute", library.cublasLtMatmulDescSetAttribute);
  load("cublasLtMatrixLayoutCreate", library.cublasLtMatrixLayoutCreate);
  load("cublasLtMatrixLayoutDestroy", library.cublasLtMatrixLayoutDestroy);
  load("cublasLtMatrixLayoutSetAttribute", library.cublasLtMatrixLayoutSetAttribute);
  load("cublasLtMatmulPreferenceCreate", library.cublasLtMatmulPreferenceCreate);
  load("cublasLtMatmulPreferenceDestroy", library.cublasLtMatmulPreferenceDestroy);
  load("cublasLtMatmulPreferenceSetAttribute", library.cublasLtMatmulPreferenceSetAttribute);
  load("cublasLtMatmulAlgoGetHeuristic", library.cublasLtMatmulAlgoGetHeuristic);
  load("cublasLtMatmul", library.cublasLtMatmul);
  return load.complete();
}

OptionalLibrary<CublasLtLibrary, Fill>& CublasLt() {
  static auto& library = *new OptionalLibrary<CublasLtLibrary, Fill>("cuBLASLt", "cuBLASLt 11");
  return library;
}

}  // namespace

const CublasLtLibrary& OpenCublasLt(const std::vector<std::string>& files) { return CublasLt().Open(files); }

}  // namespace stridelab::driver

#include "driver/cublas_lt_library.h"

namespace stridelab::driver {
namespace {

OptionalLibrary<CublasLtLibrary>& CublasLt() {
  static auto& library = *new OptionalLibrary<CublasLtLibrary>("cuBLASLt", "cuBLASLt 11");
  return library;
}

}  // namespace

const CublasLtLibrary& OpenCublasLt(const std::vector<std::string>& files) { return CublasLt().Open(files); }

}  // namespace stridelab::driver

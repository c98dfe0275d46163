#include "driver/cublas_lt_library.h"

#include <dlfcn.h>

#include <memory>
#include <mutex>

#include "driver/cuda_library.h"

namespace stridelab::driver {
namespace {

bool Fill(void* handle, CublasLtLibrary& library) {
  bool complete = true;
  const auto load = [&](const char* symbol, auto& slot) {
    slot = reinterpret_cast<std::remove_reference_t<decltype(slot)>>(dlsym(handle, symbol));
    complete = complete && slot != nullptr;
  };
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
  return complete;
}

std::mutex opening;
std::unique_ptr<const CublasLtLibrary> opened;

}  // namespace

const CublasLtLibrary& OpenCublasLt(const std::vector<std::string>& files) {
  const std::lock_guard lock(opening);
  if (opened != nullptr) return *opened;
  std::string reasons;
  for (const std::string& file : files) {
    void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* reason = dlerror();
      reasons += "\n  " + (reason != nullptr ? std::string(reason) : file);
      continue;
    }
    auto library = std::make_unique<CublasLtLibrary>();
    library->path = file;
    if (Fill(handle, *library)) {
      opened = std::move(library);
      return *opened;
    }
    reasons += "\n  " + file + " lacks functions of cuBLASLt 11";
  }
  throw LibraryUnavailable("cuBLASLt could not be opened; looked for:" + reasons, files);
}

}  // namespace stridelab::driver

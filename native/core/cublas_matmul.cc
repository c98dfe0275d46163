#include "core/cublas_matmul.h"

#include <map>
#include <optional>
#include <string>
#include <utility>

#include "core/device.h"
#include "core/error.h"
#include "core/operation.h"
#include "driver/locked.h"

namespace stridelab::core {
namespace {

using driver::CublasLtLibrary;

void Require(const CublasLtLibrary& library, int status, const char* call) {
  if (status == 0) return;
  throw Error(ErrorKind::kDriver, std::string(call) + " failed: " + library.cublasLtGetStatusString(status),
              DriverFailure{call, status, library.cublasLtGetStatusString(status)});
}

/** The cuBLASLt descriptors of a product, destroyed at the end of the scope. */
class Description {
 public:
  Description(const CublasLtLibrary& library, const CublasProduct& product) : library_(library) {
    Require(library, library.cublasLtMatmulDescCreate(&desc, product.compute_type, product.scale_type),
            "cublasLtMatmulDescCreate");
    const int transpose_a = product.a.transposed ? 1 : 0;
    const int transpose_b = product.b.transposed ? 1 : 0;
    library.cublasLtMatmulDescSetAttribute(desc, driver::kMatmulDescTransposeA, &transpose_a, sizeof(int));
    library.cublasLtMatmulDescSetAttribute(desc, driver::kMatmulDescTransposeB, &transpose_b, sizeof(int));
    a = Layout(product, product.a);
    b = Layout(product, product.b);
    d = Layout(product, product.d);
  }
  ~Description() {
    for (const auto layout : {a, b, d}) {
      if (layout != nullptr) library_.cublasLtMatrixLayoutDestroy(layout);
    }
    library_.cublasLtMatmulDescDestroy(desc);
  }
  Description(const Description&) = delete;
  Description& operator=(const Description&) = delete;

  driver::CublasLtMatmulDesc desc = nullptr;
  driver::CublasLtMatrixLayout a = nullptr;
  driver::CublasLtMatrixLayout b = nullptr;
  driver::CublasLtMatrixLayout d = nullptr;

 private:
  driver::CublasLtMatrixLayout Layout(const CublasProduct& product, const CublasMatrix& matrix) const {
    driver::CublasLtMatrixLayout layout = nullptr;
    Require(library_,
            library_.cublasLtMatrixLayoutCreate(&layout, product.type, matrix.rows, matrix.columns,
                                                matrix.leading),
            "cublasLtMatrixLayoutCreate");
    library_.cublasLtMatrixLayoutSetAttribute(layout, driver::kLayoutBatchCount, &product.batch,
                                              sizeof(product.batch));
    library_.cublasLtMatrixLayoutSetAttribute(layout, driver::kLayoutBatchStride, &matrix.batch_stride,
                                              sizeof(matrix.batch_stride));
    return layout;
  }

  const CublasLtLibrary& library_;
};

/** Process-wide cache: a handle for each device, and the algorithm for each product. */
struct Kept {
  std::map<const Device*, driver::CublasLtHandle> handles;
  std::map<std::pair<const Device*, CublasProduct>, std::optional<driver::CublasLtAlgo>> ways;
};

std::optional<driver::CublasLtAlgo> FindWay(const CublasLtLibrary& library, driver::CublasLtHandle handle,
                                            const Description& description, std::size_t workspace_bytes) {
  driver::CublasLtPreference preference = nullptr;
  Require(library, library.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  library.cublasLtMatmulPreferenceSetAttribute(preference, driver::kPreferenceMaxWorkspace, &workspace_bytes,
                                               sizeof(workspace_bytes));
  driver::CublasLtHeuristic result{};
  int found = 0;
  const int status =
      library.cublasLtMatmulAlgoGetHeuristic(handle, description.desc, description.a, description.b,
                                             description.d, description.d, preference, 1, &result, &found);
  library.cublasLtMatmulPreferenceDestroy(preference);
  if (status != 0 || found == 0 || result.state != 0) return std::nullopt;
  return result.algo;
}

}  // namespace

bool RunCublasProduct(const CublasLtLibrary& library, const std::shared_ptr<Stream>& stream,
                      const CublasProduct& product, const CublasOperand& a, const CublasOperand& b,
                      const CublasOperand& d, Storage& workspace, const InterruptFlag& interrupt) {
  Device& device = stream->device();
  const Description description(library, product);
  driver::CublasLtHandle handle = nullptr;
  std::optional<driver::CublasLtAlgo> way;
  {
    const driver::Locked<Kept> kept;
    const ContextScope scope = device.Enter();
    driver::CublasLtHandle& known = kept->handles[&device];
    if (known == nullptr) Require(library, library.cublasLtCreate(&known), "cublasLtCreate");
    handle = known;
    const auto [entry, fresh] = kept->ways.try_emplace({&device, product});
    if (fresh) entry->second = FindWay(library, handle, description, workspace.bytes());
    way = entry->second;
  }
  if (!way) return false;
  const std::array<Operand, 4> operands = {{{d.storage, Access::kWrite},
                                            {a.storage, Access::kRead},
                                            {b.storage, Access::kRead},
                                            {&workspace, Access::kWrite}}};
  const auto submit = [&] {
    // Room for a one or a zero of any type; the imaginary part is zero.
    const std::array<double, 2> one_double = {1, 0};
    const std::array<float, 2> one_float = {1, 0};
    const std::array<double, 2> zero = {0, 0};
    constexpr int kReal64 = 1;
    constexpr int kComplex128 = 5;
    const bool wide = product.scale_type == kReal64 || product.scale_type == kComplex128;
    const void* one = wide ? static_cast<const void*>(one_double.data()) : one_float.data();
    const auto address = [](const CublasOperand& operand) {
      return driver::HandleFrom<void*>(operand.storage->pointer() + operand.offset);
    };
    Require(library,
            library.cublasLtMatmul(handle, description.desc, one, address(a), description.a, address(b),
                                   description.b, zero.data(), address(d), description.d, address(d),
                                   description.d, &*way, driver::HandleFrom<void*>(workspace.pointer()),
                                   workspace.bytes(), stream->handle()),
            "cublasLtMatmul");
  };
  RunOperation(stream, operands, interrupt, submit, {TraceKind::kKernel, "matmul (cuBLASLt)"});
  return true;
}

}  // namespace stridelab::core

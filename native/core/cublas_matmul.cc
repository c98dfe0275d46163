#include "core/cublas_matmul.h"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

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

/** The powers of two, up to 256, that divide the addresses of `a`, `b` and `d`. */
using Alignments = std::array<std::uint32_t, 3>;

/** A product as cuBLASLt runs it: its descriptors, and the algorithm that the heuristic chose, if there is one. */
class Way {
 public:
  Way(const CublasLtLibrary& library, driver::CublasLtHandle handle, const CublasProduct& product,
      const Alignments& alignments, std::size_t workspace_bytes)
      : library_(library) {
    Require(library, library.cublasLtMatmulDescCreate(&desc, product.compute_type, product.scale_type),
            "cublasLtMatmulDescCreate");
    const int transpose_a = product.a.transposed ? 1 : 0;
    const int transpose_b = product.b.transposed ? 1 : 0;
    library.cublasLtMatmulDescSetAttribute(desc, driver::kMatmulDescTransposeA, &transpose_a, sizeof(int));
    library.cublasLtMatmulDescSetAttribute(desc, driver::kMatmulDescTransposeB, &transpose_b, sizeof(int));
    a = Layout(product, product.a);
    b = Layout(product, product.b);
    d = Layout(product, product.d);
    algo = Choose(handle, alignments, workspace_bytes);
  }
  Way(const Way&) = delete;
  Way& operator=(const Way&) = delete;

  driver::CublasLtMatmulDesc desc = nullptr;
  driver::CublasLtMatrixLayout a = nullptr;
  driver::CublasLtMatrixLayout b = nullptr;
  driver::CublasLtMatrixLayout d = nullptr;
  std::optional<driver::CublasLtAlgo> algo;

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

  std::optional<driver::CublasLtAlgo> Choose(driver::CublasLtHandle handle, const Alignments& alignments,
                                             std::size_t workspace_bytes) const {
    driver::CublasLtPreference preference = nullptr;
    Require(library_, library_.cublasLtMatmulPreferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
    library_.cublasLtMatmulPreferenceSetAttribute(preference, driver::kPreferenceMaxWorkspace,
                                                  &workspace_bytes, sizeof(workspace_bytes));
    // Without these the heuristic assumes 256 bytes; matrix C, which is not read, is D.
    const auto aligned = [&](int attribute, std::uint32_t bytes) {
      library_.cublasLtMatmulPreferenceSetAttribute(preference, attribute, &bytes, sizeof(bytes));
    };
    aligned(driver::kPreferenceAlignmentA, alignments[0]);
    aligned(driver::kPreferenceAlignmentB, alignments[1]);
    aligned(driver::kPreferenceAlignmentC, alignments[2]);
    aligned(driver::kPreferenceAlignmentD, alignments[2]);
    driver::CublasLtHeuristic result{};
    int found = 0;
    const int status =
        library_.cublasLtMatmulAlgoGetHeuristic(handle, desc, a, b, d, d, preference, 1, &result, &found);
    library_.cublasLtMatmulPreferenceDestroy(preference);
    if (status != 0 || found == 0 || result.state != 0) return std::nullopt;
    return result.algo;
  }

  const CublasLtLibrary& library_;
};

/** Process-wide cache: a handle for each device, and how each product runs. Entries stay for the life of the process. */
struct Kept {
  std::map<const Device*, driver::CublasLtHandle> handles;
  std::map<std::tuple<const Device*, CublasProduct, Alignments>, Way> ways;
};

std::uint64_t AddressOf(const CublasOperand& operand) { return operand.storage->pointer() + operand.offset; }

std::uint32_t AlignmentOf(const CublasOperand& operand) {
  constexpr std::uint64_t kMost = 256;
  const std::uint64_t address = AddressOf(operand) | kMost;
  return static_cast<std::uint32_t>(address & (~address + 1));
}

}  // namespace

bool RunCublasProduct(const CublasLtLibrary& library, const std::shared_ptr<Stream>& stream,
                      const CublasProduct& product, const CublasOperand& a, const CublasOperand& b,
                      const CublasOperand& d, Storage& workspace, const InterruptFlag& interrupt) {
  Device& device = stream->device();
  const Way* way = nullptr;
  driver::CublasLtHandle handle = nullptr;
  {
    const driver::Locked<Kept> kept;
    const ContextScope scope = device.Enter();
    driver::CublasLtHandle& known = kept->handles[&device];
    if (known == nullptr) Require(library, library.cublasLtCreate(&known), "cublasLtCreate");
    handle = known;
    const Alignments alignments = {AlignmentOf(a), AlignmentOf(b), AlignmentOf(d)};
    way = &kept->ways
               .try_emplace({&device, product, alignments}, library, handle, product, alignments,
                            workspace.bytes())
               .first->second;
  }
  if (!way->algo) return false;
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
      return driver::HandleFrom<void*>(AddressOf(operand));
    };
    Require(library,
            library.cublasLtMatmul(handle, way->desc, one, address(a), way->a, address(b), way->b,
                                   zero.data(), address(d), way->d, address(d), way->d, &*way->algo,
                                   driver::HandleFrom<void*>(workspace.pointer()), workspace.bytes(),
                                   stream->handle()),
            "cublasLtMatmul");
  };
  RunOperation(stream, operands, interrupt, submit, {TraceKind::kKernel, "matmul (cuBLASLt)"});
  return true;
}

}  // namespace stridelab::core

#include "binding/call.h"
#include "binding/parts.h"
#include "binding/storage_object.h"
#include "binding/stream_object.h"
#include "core/cublas_matmul.h"

namespace stridelab::binding {
namespace {

Fields Open(Env env, const std::vector<std::string>& files) {
  const driver::CublasLtLibrary& library = driver::OpenCublasLt(files);
  return Fields(env).Set("path", library.path).Set("version", library.cublasLtGetVersion());
}

/** Reads the numbers of the specification one by one. */
class Numbers {
 public:
  explicit Numbers(const Napi::Float64Array& list) : list_(list) {}

  std::int64_t Next() {
    if (at_ == list_.ElementLength()) Refuse("the specification ends early");
    return static_cast<std::int64_t>(list_[at_++]);
  }
  core::CublasMatrix NextMatrix() {
    core::CublasMatrix matrix{};
    matrix.rows = static_cast<std::uint64_t>(Next());
    matrix.columns = static_cast<std::uint64_t>(Next());
    matrix.leading = Next();
    matrix.batch_stride = Next();
    matrix.transposed = Next() != 0;
    return matrix;
  }
  core::CublasOperand NextOperand(core::Storage& storage) {
    const auto offset = static_cast<std::uint64_t>(Next());
    if (offset > storage.bytes()) throw core::Error(core::ErrorKind::kBounds, "a matrix outside its storage");
    return {&storage, offset};
  }

 private:
  Napi::Float64Array list_;
  std::size_t at_ = 0;
};

bool Matmul(const std::shared_ptr<core::Stream>& stream, const Napi::Float64Array& specification,
            core::Storage& a, core::Storage& b, core::Storage& d, core::Storage& workspace,
            const core::InterruptFlag& interrupt) {
  Numbers list(specification);
  core::CublasProduct product{};
  product.type = static_cast<int>(list.Next());
  product.compute_type = static_cast<int>(list.Next());
  product.scale_type = static_cast<int>(list.Next());
  product.batch = static_cast<std::int32_t>(list.Next());
  product.a = list.NextMatrix();
  product.b = list.NextMatrix();
  product.d = list.NextMatrix();
  const core::CublasOperand operand_a = list.NextOperand(a);
  const core::CublasOperand operand_b = list.NextOperand(b);
  const core::CublasOperand operand_d = list.NextOperand(d);
  return core::RunCublasProduct(driver::OpenCublasLt({}), stream, product, operand_a, operand_b, operand_d,
                                workspace, interrupt);
}

constexpr Function kTable[] = {
    Bind<Open>("open", "files"),
    Bind<Matmul>("matmul", "stream", "specification", "a", "b", "d", "workspace"),
};

}  // namespace

const Functions kCublasCalls = kTable;

}  // namespace stridelab::binding

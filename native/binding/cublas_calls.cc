#include <climits>

#include "binding/compute_arguments.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "core/cublas_matmul.h"

namespace stridelab::binding {
namespace {

Fields OpenCublas(Env env, const std::vector<std::string>& files) {
  const driver::CublasLtLibrary& library = driver::OpenCublasLt(files);
  return Fields(env).Set("path", library.path).Set("version", library.cublasLtGetVersion());
}

core::CublasMatrix NextMatrix(LayoutWords& words) {
  core::CublasMatrix matrix{};
  matrix.rows = static_cast<std::uint64_t>(words.Next("the rows", 0, kLongestAxis));
  matrix.columns = static_cast<std::uint64_t>(words.Next("the columns", 0, kLongestAxis));
  matrix.leading = words.Next("the leading dimension", 0, kLongestAxis);
  matrix.batch_stride = words.Next("the stride of the batch", -kLongestAxis, kLongestAxis);
  matrix.transposed = words.Next("the transposed flag", 0, 1) == 1;
  return matrix;
}

core::CublasOperand NextOperand(LayoutWords& words, core::Storage& storage) {
  const auto offset = static_cast<std::uint64_t>(words.Next("an offset", 0, kLongestAxis));
  if (offset > storage.bytes()) {
    throw core::Error(core::ErrorKind::kBounds, "matrix offset " + std::to_string(offset) +
                                                    " exceeds its storage of " +
                                                    std::to_string(storage.bytes()) + " bytes");
  }
  return {&storage, offset};
}

bool MatmulWithCublas(const std::shared_ptr<core::Stream>& stream, LayoutWords words, core::Storage& a,
                      core::Storage& b, core::Storage& d, core::Storage& workspace,
                      const core::InterruptFlag& interrupt) {
  const auto next = [&](const char* what) { return static_cast<int>(words.Next(what, 0, INT_MAX)); };
  core::CublasProduct product{};
  product.type = next("the type");
  product.compute_type = next("the compute type");
  product.scale_type = next("the scale type");
  product.batch = next("the batch");
  product.a = NextMatrix(words);
  product.b = NextMatrix(words);
  product.d = NextMatrix(words);
  const core::CublasOperand operand_a = NextOperand(words, a);
  const core::CublasOperand operand_b = NextOperand(words, b);
  const core::CublasOperand operand_d = NextOperand(words, d);
  return core::RunCublasProduct(driver::OpenCublasLt({}), stream, product, operand_a, operand_b, operand_d,
                                workspace, interrupt);
}

constexpr Function kCublasTable[] = {
    Bind<OpenCublas>("open", "files"),
    Bind<MatmulWithCublas>("matmul", "stream", "specification", "a", "b", "d", "workspace"),
};

}  // namespace

const Functions kCublasCalls = kCublasTable;

}  // namespace stridelab::binding

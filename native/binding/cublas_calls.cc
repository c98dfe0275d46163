#include <string>
#include <vector>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parts.h"
#include "binding/storage_object.h"
#include "core/cublas_matmul.h"
#include "core/error.h"
#include "driver/cuda_library.h"

namespace stridelab::binding {
namespace {

const driver::CublasLtLibrary& OpenLibrary(const std::vector<std::string>& files) {
  try {
    return driver::OpenCublasLt(files);
  } catch (const driver::LibraryUnavailable& failure) {
    throw core::Error(failure.what(), failure.tried());
  }
}

Napi::Value Open(const Napi::CallbackInfo& info) {
  if (!info[0].IsArray()) throw core::Error(core::ErrorKind::kArgument, "files must be an array of strings");
  const auto list = info[0].As<Napi::Array>();
  std::vector<std::string> files;
  files.reserve(list.Length());
  for (std::uint32_t index = 0; index < list.Length(); ++index) files.push_back(list.Get(index).ToString());
  const driver::CublasLtLibrary& library = OpenLibrary(files);
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("path", library.path);
  result.Set("version", static_cast<double>(library.cublasLtGetVersion()));
  return result;
}

/** Takes numbers of the specification one by one. */
class Numbers {
 public:
  explicit Numbers(const Napi::Float64Array& list) : list_(list) {}

  std::int64_t Next() {
    if (at_ == list_.ElementLength())
      throw core::Error(core::ErrorKind::kArgument, "the specification ends early");
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

Napi::Value Matmul(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  const bool numbers =
      info[1].IsTypedArray() && info[1].As<Napi::TypedArray>().TypedArrayType() == napi_float64_array;
  if (!numbers) throw core::Error(core::ErrorKind::kArgument, "specification must be a Float64Array");
  Numbers list(info[1].As<Napi::Float64Array>());
  core::CublasProduct product{};
  product.type = static_cast<int>(list.Next());
  product.compute_type = static_cast<int>(list.Next());
  product.scale_type = static_cast<int>(list.Next());
  product.batch = static_cast<std::int32_t>(list.Next());
  product.a = list.NextMatrix();
  product.b = list.NextMatrix();
  product.d = list.NextMatrix();
  const auto a = list.NextOperand(ToObject<StorageObject>(info[2], "a").native());
  const auto b = list.NextOperand(ToObject<StorageObject>(info[3], "b").native());
  const auto d = list.NextOperand(ToObject<StorageObject>(info[4], "d").native());
  core::Storage& workspace = ToObject<StorageObject>(info[5], "workspace").native();
  const bool ran = core::RunCublasProduct(OpenLibrary({}), stream, product, a, b, d, workspace,
                                          Environment::Of(info.Env()).interrupt());
  return Napi::Boolean::New(info.Env(), ran);
}

}  // namespace

Napi::Object DefineCublas(Napi::Env env) {
  Napi::Object cublas = Napi::Object::New(env);
  cublas.Set("open", Entry<Open>(env, "open"));
  cublas.Set("matmul", Entry<Matmul>(env, "matmul"));
  return cublas;
}

}  // namespace stridelab::binding

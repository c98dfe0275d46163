#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "binding/arguments.h"
#include "binding/compute_layout.h"
#include "binding/compute_submit.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "compute/cumulate.h"
#include "compute/elementwise.h"
#include "compute/matmul.h"
#include "compute/program.h"
#include "compute/random.h"
#include "compute/reduce.h"
#include "compute/take.h"

namespace stridelab::binding {
namespace {

using ProgramHandle = std::shared_ptr<const compute::Program>;

constexpr napi_type_tag kProgramTag = {0x53545249444c4142, 0x6be18d07a49c3f52};

Napi::Value MakeProgram(const Napi::CallbackInfo& info) {
  const bool words =
      info[0].IsTypedArray() && info[0].As<Napi::TypedArray>().TypedArrayType() == napi_int32_array;
  if (!words) throw core::Error(core::ErrorKind::kArgument, "words must be an Int32Array");
  const HostBytes code = ToHostBytes(info[0], "words");
  const HostBytes constants = ToHostBytes(info[1], "constants");
  auto program = std::make_unique<ProgramHandle>(std::make_shared<const compute::Program>(
      std::span(static_cast<const std::int32_t*>(code.data), code.bytes / sizeof(std::int32_t)),
      std::span(static_cast<const std::byte*>(constants.data), constants.bytes)));
  Napi::Object object = Napi::Object::New(info.Env());
  object.TypeTag(&kProgramTag);
  const auto drop = [](node_api_basic_env, void* held, void*) { delete static_cast<ProgramHandle*>(held); };
  if (napi_wrap(info.Env(), object, program.get(), drop, nullptr, nullptr) != napi_ok)
    throw Napi::Error::New(info.Env());
  static_cast<void>(program.release());
  return object;
}

ProgramHandle ToProgram(Napi::Value value) {
  void* held = nullptr;
  if (value.IsObject() && value.As<Napi::Object>().CheckTypeTag(&kProgramTag) &&
      napi_unwrap(value.Env(), value, &held) == napi_ok)
    return *static_cast<ProgramHandle*>(held);
  throw core::Error(core::ErrorKind::kArgument, "program is not a NativeProgram");
}

Napi::Value Elementwise(const Napi::CallbackInfo& info) {
  CheckStream(info[0]);
  ProgramHandle program = ToProgram(info[1]);
  LayoutWords words(info[2]);
  const std::size_t outputs = program->outputs().size();
  const std::size_t count = outputs + program->inputs();
  const auto storages = ToStorages(info[3], count);
  std::vector<std::int64_t> shape = words.Shape("the rank");
  std::vector<compute::Operand> operands;
  std::size_t itemsizes = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const compute::Type type =
        index < outputs ? program->outputs()[index].type : program->type_of(index - outputs);
    itemsizes += compute::SizeOf(type);
    operands.push_back(ToOperand(*storages[index], words.NextView(shape.size()), shape, compute::SizeOf(type),
                                 index < outputs));
  }
  words.End();
  const std::size_t size = SizeOfShape(shape);
  if (size == 0) return info.Env().Undefined();
  const compute::Elementwise work(std::move(program), compute::Layout(std::move(shape), std::move(operands)));
  SubmitWork(info[0], "elementwise", storages, outputs, size * itemsizes, [work] { work.Run(); });
  return info.Env().Undefined();
}

compute::Type ToType(Napi::Value value, const char* argument) {
  return static_cast<compute::Type>(ToInteger(value, argument, 0, compute::kTypeCount - 1));
}

std::string ToName(Napi::Value value) { return value.IsString() ? value.As<Napi::String>().Utf8Value() : ""; }

std::optional<compute::Combination> ToCombination(const std::string& name) {
  if (name == "sum") return compute::Combination::kSum;
  if (name == "prod") return compute::Combination::kProd;
  if (name == "min") return compute::Combination::kMin;
  if (name == "max") return compute::Combination::kMax;
  if (name == "any") return compute::Combination::kAny;
  if (name == "all") return compute::Combination::kAll;
  return std::nullopt;
}

Napi::Value Reduce(const Napi::CallbackInfo& info) {
  CheckStream(info[0]);
  const std::string name = ToName(info[1]);
  const auto combination = ToCombination(name);
  const bool largest = name == "argmax";
  if (!combination && !largest && name != "argmin") {
    throw core::Error(core::ErrorKind::kArgument,
                      "operation must be 'sum', 'prod', 'min', 'max', 'any', 'all', 'argmin' or 'argmax'");
  }
  compute::Reduction reduction;
  reduction.in_type = ToType(info[2], "inputType");
  reduction.out_type = ToType(info[3], "outputType");
  LayoutWords words(info[4]);
  const auto storages = ToStorages(info[5], 2);
  reduction.kept = words.Shape("the kept rank");
  reduction.reduced = words.Shape("the reduced rank", kMostAxes - reduction.kept.size());
  std::vector<std::int64_t> shape = reduction.kept;
  shape.insert(shape.end(), reduction.reduced.begin(), reduction.reduced.end());
  CheckSize(shape);
  const std::size_t out_size = compute::SizeOf(reduction.out_type);
  const std::size_t in_size = compute::SizeOf(reduction.in_type);
  reduction.out =
      ToOperand(*storages[0], words.NextView(reduction.kept.size()), reduction.kept, out_size, true);
  reduction.in = ToOperand(*storages[1], words.NextView(shape.size()), shape, in_size, false);
  words.End();
  const std::size_t kept = SizeOfShape(reduction.kept);
  const std::size_t bytes = kept * out_size + SizeOfShape(shape) * in_size;
  std::function<void()> work;
  if (combination) {
    work = [reduce = compute::Reduce(*combination, std::move(reduction))] { reduce.Run(); };
  } else {
    work = [reduce = compute::ArgReduce(largest, std::move(reduction))] { reduce.Run(); };
  }
  if (kept > 0) SubmitWork(info[0], "reduce", storages, 1, bytes, std::move(work));
  return info.Env().Undefined();
}

Napi::Value Cumulate(const Napi::CallbackInfo& info) {
  CheckStream(info[0]);
  const auto combination = ToCombination(ToName(info[1]));
  if (!combination || *combination > compute::Combination::kMax)
    throw core::Error(core::ErrorKind::kArgument, "operation must be 'sum', 'prod', 'min' or 'max'");
  const compute::Type in_type = ToType(info[2], "inputType");
  const compute::Type out_type = ToType(info[3], "outputType");
  LayoutWords words(info[4]);
  const auto storages = ToStorages(info[5], 2);
  std::vector<std::int64_t> shape = words.Shape("the rank");
  if (shape.empty()) throw core::Error(core::ErrorKind::kArgument, "layout: the rank must be 1 or more");
  const auto axis =
      static_cast<std::size_t>(words.Next("the axis", 0, static_cast<std::int64_t>(shape.size()) - 1));
  const std::size_t out_size = compute::SizeOf(out_type);
  const std::size_t in_size = compute::SizeOf(in_type);
  compute::Operand out = ToOperand(*storages[0], words.NextView(shape.size()), shape, out_size, true);
  compute::Operand in = ToOperand(*storages[1], words.NextView(shape.size()), shape, in_size, false);
  words.End();
  const std::size_t size = SizeOfShape(shape);
  const compute::Cumulate work(*combination, in_type, out_type, std::move(shape), axis, std::move(out),
                               std::move(in));
  if (size > 0)
    SubmitWork(info[0], "cumulate", storages, 1, size * (out_size + in_size), [work] { work.Run(); });
  return info.Env().Undefined();
}

Napi::Value Matmul(const Napi::CallbackInfo& info) {
  CheckStream(info[0]);
  compute::Matmul work;
  work.type = ToType(info[1], "type");
  LayoutWords words(info[2]);
  const auto storages = ToStorages(info[3], 3);
  work.batch = words.Shape("the batch rank", kMostAxes - 2);
  const std::int64_t m = words.Next("m", 0, kLongestAxis);
  const std::int64_t n = words.Next("n", 0, kLongestAxis);
  const std::int64_t k = words.Next("k", 0, kLongestAxis);
  const std::size_t itemsize = compute::SizeOf(work.type);
  const auto next = [&](std::size_t index, std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> shape = work.batch;
    shape.insert(shape.end(), {rows, columns});
    CheckSize(shape);
    compute::Operand operand =
        ToOperand(*storages[index], words.NextView(shape.size()), shape, itemsize, index == 0);
    const std::int64_t column = operand.strides.back();
    const std::int64_t row = operand.strides[shape.size() - 2];
    operand.strides.resize(work.batch.size());
    return compute::Matrices{operand.first, std::move(operand.strides), row, column};
  };
  work.out = next(0, m, n);
  work.a = next(1, m, k);
  work.b = next(2, k, n);
  words.End();
  work.m = static_cast<std::size_t>(m);
  work.n = static_cast<std::size_t>(n);
  work.k = static_cast<std::size_t>(k);
  const std::size_t size = SizeOfShape(work.batch) * work.m * work.n;
  if (size == 0) return info.Env().Undefined();
  const std::size_t bytes = itemsize * (size + SizeOfShape(work.batch) * work.k * (work.m + work.n));
  SubmitWork(info[0], "matmul", storages, 1, bytes, [work] { work.Run(); });
  return info.Env().Undefined();
}

Napi::Value Take(const Napi::CallbackInfo& info) {
  CheckStream(info[0]);
  const auto itemsize = static_cast<std::size_t>(ToInteger(info[1], "itemsize", 1, 16));
  if ((itemsize & (itemsize - 1)) != 0)
    throw core::Error(core::ErrorKind::kArgument, "itemsize must be 1, 2, 4, 8 or 16");
  const compute::Type index_type = ToType(info[2], "indexType");
  if (index_type != compute::Type::kInt32 && index_type != compute::Type::kInt64)
    throw core::Error(core::ErrorKind::kArgument, "indexType must be that of int32 or int64");
  LayoutWords words(info[3]);
  const auto storages = ToStorages(info[4], 3);
  compute::Take work;
  work.shape = words.Shape("the rank");
  const auto last = static_cast<std::int64_t>(work.shape.size()) - 1;
  if (last < 0) throw core::Error(core::ErrorKind::kArgument, "layout: the rank must be 1 or more");
  work.axis = static_cast<std::size_t>(words.Next("the axis", 0, last));
  work.length = words.Next("the length", 0, kLongestAxis);
  work.wrap = words.Next("the mode", 0, 1) == 1;
  std::vector<std::int64_t> in_shape = work.shape;
  in_shape[work.axis] = work.length;
  CheckSize(in_shape);
  const std::int64_t count = work.shape[work.axis];
  work.index_size = compute::SizeOf(index_type);
  work.out = ToOperand(*storages[0], words.NextView(work.shape.size()), work.shape, itemsize, true);
  work.in = ToOperand(*storages[1], words.NextView(work.shape.size()), in_shape, itemsize, false);
  const std::array<std::int64_t, 1> index_shape{count};
  const compute::Operand index =
      ToOperand(*storages[2], words.NextView(1), index_shape, work.index_size, false);
  work.index = index.first;
  work.index_stride = index.strides[0];
  words.End();
  const std::size_t size = SizeOfShape(work.shape);
  if (size == 0) return info.Env().Undefined();
  if (work.wrap && work.length == 0)
    throw core::Error(core::ErrorKind::kArgument, "nothing can be taken from an axis of length 0");
  const std::size_t bytes = 2 * size * itemsize + static_cast<std::size_t>(count) * work.index_size;
  SubmitWork(info[0], "take", storages, 1, bytes, [work] { work.Run(); });
  return info.Env().Undefined();
}

Napi::Value InvalidIndices(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), static_cast<double>(compute::TakeInvalidIndices()));
}

compute::Distribution ToDistribution(Napi::Value value) {
  const std::string name = ToName(value);
  if (name == "bits") return compute::Distribution::kBits;
  if (name == "uniform") return compute::Distribution::kUniform;
  if (name == "normal") return compute::Distribution::kNormal;
  if (name == "integers") return compute::Distribution::kIntegers;
  throw core::Error(core::ErrorKind::kArgument,
                    "distribution must be 'bits', 'uniform', 'normal' or 'integers'");
}

/** The two numbers of a distribution that has some. */
void ReadParameters(Napi::Value value, compute::Random& random) {
  if (random.distribution == compute::Distribution::kBits) return;
  const bool integers = random.distribution == compute::Distribution::kIntegers;
  const auto wanted = integers ? napi_bigint64_array : napi_float64_array;
  const bool right = value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == wanted &&
                     value.As<Napi::TypedArray>().ElementLength() == 2;
  if (!right) {
    throw core::Error(core::ErrorKind::kArgument, std::string("parameters must be two numbers in a ") +
                                                      (integers ? "BigInt64Array" : "Float64Array"));
  }
  const HostBytes memory = ToHostBytes(value, "parameters");
  if (integers) {
    const auto* numbers = static_cast<const std::uint64_t*>(memory.data);
    random.low = numbers[0];
    random.range = numbers[1] - numbers[0];
    const bool is_signed = compute::IsSigned(random.type);
    const bool rising = is_signed
                            ? static_cast<std::int64_t>(numbers[0]) < static_cast<std::int64_t>(numbers[1])
                            : numbers[0] < numbers[1];
    if (!rising) throw core::Error(core::ErrorKind::kArgument, "low must be below high");
  } else {
    const auto* numbers = static_cast<const double*>(memory.data);
    random.first = numbers[0];
    random.second = numbers[1];
  }
}

Napi::Value Random(const Napi::CallbackInfo& info) {
  CheckStream(info[0]);
  compute::Random work{};
  work.distribution = ToDistribution(info[1]);
  work.type = ToType(info[2], "type");
  work.seed = ToAddress(info[3], "seed");
  work.offset = ToAddress(info[4], "offset");
  ReadParameters(info[5], work);
  work.Check();
  LayoutWords words(info[6]);
  const auto storages = ToStorages(info[7], 1);
  const std::int64_t count = words.Next("the count", 0, kLongestAxis);
  const std::size_t itemsize = compute::SizeOf(work.type);
  const View view{words.Next("an offset", 0, kLongestAxis), {static_cast<std::int64_t>(itemsize)}};
  words.End();
  const std::array<std::int64_t, 1> shape{count};
  work.out = ToOperand(*storages[0], view, shape, itemsize, true).first;
  work.count = static_cast<std::size_t>(count);
  if (count > 0) SubmitWork(info[0], "random", storages, 1, work.count * itemsize, [work] { work.Run(); });
  return info.Env().Undefined();
}

/** What the loops refuse is an argument of the wrong kind. */
template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
Napi::Value Call(const Napi::CallbackInfo& info) {
  try {
    return Body(info);
  } catch (const std::invalid_argument& error) {
    throw core::Error(core::ErrorKind::kArgument, error.what());
  }
}

template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Entry<Call<Body>>(exports.Env(), name));
}

}  // namespace

Napi::Object DefineCompute(Napi::Env env) {
  Napi::Object compute = Napi::Object::New(env);
  Export<MakeProgram>(compute, "makeProgram");
  Export<Elementwise>(compute, "elementwise");
  Export<Reduce>(compute, "reduce");
  Export<Cumulate>(compute, "cumulate");
  Export<Matmul>(compute, "matmul");
  Export<Take>(compute, "take");
  Export<InvalidIndices>(compute, "invalidIndices");
  Export<Random>(compute, "random");
  return compute;
}

}  // namespace stridelab::binding

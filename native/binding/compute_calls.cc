#include <array>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "binding/compute_arguments.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "compute/cumulate.h"
#include "compute/elementwise.h"
#include "compute/matmul.h"
#include "compute/program.h"
#include "compute/random.h"
#include "compute/reduce.h"
#include "compute/spaced.h"
#include "compute/take.h"

namespace stridelab::binding {
/** The names of combinations. Cumulate supports the first four. */
constexpr const char* kCombinations[] = {"sum", "prod", "min", "max"};
template <>
inline constexpr std::span<const char* const> kNamesOf<compute::Combination>{kCombinations};
constexpr const char* kDistributions[] = {"bits", "uniform", "normal", "integers"};
template <>
inline constexpr std::span<const char* const> kNamesOf<compute::Distribution>{kDistributions};

/** The combinations, and the reductions to an index. */
enum class ReduceOperation { kArgMin = static_cast<int>(compute::Combination::kAll) + 1, kArgMax };
constexpr const char* kReduceOperations[] = {"sum", "prod", "min", "max", "any", "all", "argmin", "argmax"};
template <>
inline constexpr std::span<const char* const> kNamesOf<ReduceOperation>{kReduceOperations};

using ProgramHandle = std::shared_ptr<const compute::Program>;

class ProgramObject : public NativeObject<ProgramObject, ProgramHandle> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kProgram, "NativeProgram", 0x6be18d07a49c3f52};
  static const Functions kMethods;
  using NativeObject::NativeObject;
};
ProgramObject* ObjectFor(As<const compute::Program>);

namespace {

/** The words that JavaScript passes at most: those of an operation on as many arrays as a program may have. */
constexpr std::size_t kMostWords = 8192;

Napi::Value Words(Environment& environment, Env env) {
  ComputeMemory& memory = environment.compute_memory();
  if (memory.words.empty()) {
    auto array = Napi::Float64Array::New(env, kMostWords);
    memory.words = {array.Data(), kMostWords};
    memory.array = Napi::Reference<Napi::Float64Array>::New(array, 1);
  }
  return memory.array.Value();
}

/** The number of the latest operation, for a call that submits none. */
std::uint64_t Unchanged(const ComputeStream& stream) {
  return core::Stream::OperationOf(stream.stream->sequence());
}

using ElementType = Within<compute::Type, 0, compute::kTypeCount - 1>;

ProgramHandle MakeProgram(std::span<std::int32_t> words, std::span<const std::byte> constants) {
  return std::make_shared<const compute::Program>(words, constants);
}

std::uint64_t Elementwise(const KeyedComputeStream& stream, const Keyed<ProgramObject>& keyed,
                          OperationWords words) {
  const ProgramHandle& program = keyed.native();
  const std::size_t outputs = program->outputs().size();
  const std::size_t count = outputs + program->inputs();
  const auto storages = words.Storages(count, outputs);
  std::vector<std::int64_t> shape = words.Shape("the rank");
  std::vector<compute::Operand> operands;
  operands.reserve(count);
  std::size_t itemsizes = 0;
  for (std::size_t index = 0; index < count; ++index) {
    const compute::Type type =
        index < outputs ? program->outputs()[index].type : program->type_of(index - outputs);
    itemsizes += compute::SizeOf(type);
    operands.push_back(
        ToOperand(storages[index], words.NextView(shape.size()), shape, compute::SizeOf(type)));
  }
  words.End();
  const std::size_t size = SizeOfShape(shape);
  if (size == 0) return Unchanged(stream);
  compute::Elementwise work(program, compute::Layout(std::move(shape), std::move(operands)));
  return stream.Submit("elementwise", storages, size * itemsizes, [work = std::move(work)] { work.Run(); });
}

std::uint64_t Reduce(const KeyedComputeStream& stream, ReduceOperation operation, ElementType input_type,
                     ElementType output_type, OperationWords words) {
  compute::Reduction reduction;
  reduction.in_type = input_type;
  reduction.out_type = output_type;
  const auto storages = words.Storages(2, 1);
  reduction.kept = words.Shape("the kept rank");
  reduction.reduced = words.Shape("the reduced rank", kMostAxes - reduction.kept.size());
  std::vector<std::int64_t> shape = reduction.kept;
  shape.insert(shape.end(), reduction.reduced.begin(), reduction.reduced.end());
  CheckSize(shape);
  const std::size_t out_size = compute::SizeOf(reduction.out_type);
  const std::size_t in_size = compute::SizeOf(reduction.in_type);
  reduction.out = ToOperand(storages[0], words.NextView(reduction.kept.size()), reduction.kept, out_size);
  reduction.in = ToOperand(storages[1], words.NextView(shape.size()), shape, in_size);
  words.End();
  const std::size_t kept = SizeOfShape(reduction.kept);
  const std::size_t bytes = kept * out_size + SizeOfShape(shape) * in_size;
  std::function<void()> work;
  if (operation < ReduceOperation::kArgMin) {
    const auto combination = static_cast<compute::Combination>(operation);
    work = [reduce = compute::Reduce(combination, std::move(reduction))] { reduce.Run(); };
  } else {
    const bool largest = operation == ReduceOperation::kArgMax;
    work = [reduce = compute::ArgReduce(largest, std::move(reduction))] { reduce.Run(); };
  }
  if (kept == 0) return Unchanged(stream);
  return stream.Submit("reduce", storages, bytes, std::move(work));
}

std::uint64_t Cumulate(const KeyedComputeStream& stream, compute::Combination operation, ElementType in_type,
                       ElementType out_type, OperationWords words) {
  const auto storages = words.Storages(2, 1);
  std::vector<std::int64_t> shape = words.Shape("the rank");
  if (shape.empty()) Refuse("layout: the rank must be 1 or more");
  const auto axis =
      static_cast<std::size_t>(words.Next("the axis", 0, static_cast<std::int64_t>(shape.size()) - 1));
  const std::size_t out_size = compute::SizeOf(out_type);
  const std::size_t in_size = compute::SizeOf(in_type);
  compute::Operand out = ToOperand(storages[0], words.NextView(shape.size()), shape, out_size);
  compute::Operand in = ToOperand(storages[1], words.NextView(shape.size()), shape, in_size);
  words.End();
  const std::size_t size = SizeOfShape(shape);
  compute::Cumulate work(operation, in_type, out_type, std::move(shape), axis, std::move(out), std::move(in));
  if (size == 0) return Unchanged(stream);
  return stream.Submit("cumulate", storages, size * (out_size + in_size),
                       [work = std::move(work)] { work.Run(); });
}

std::uint64_t Matmul(const KeyedComputeStream& stream, ElementType type, OperationWords words) {
  compute::Matmul work;
  work.type = type;
  const auto storages = words.Storages(3, 1);
  work.batch = words.Shape("the batch rank", kMostAxes - 2);
  const std::int64_t m = words.Next("m", 0, kLongestAxis);
  const std::int64_t n = words.Next("n", 0, kLongestAxis);
  const std::int64_t k = words.Next("k", 0, kLongestAxis);
  const std::size_t itemsize = compute::SizeOf(work.type);
  const auto next = [&](std::size_t index, std::int64_t rows, std::int64_t columns) {
    std::vector<std::int64_t> shape = work.batch;
    shape.insert(shape.end(), {rows, columns});
    CheckSize(shape);
    compute::Operand operand = ToOperand(storages[index], words.NextView(shape.size()), shape, itemsize);
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
  if (size == 0) return Unchanged(stream);
  const std::size_t bytes = itemsize * (size + SizeOfShape(work.batch) * work.k * (work.m + work.n));
  return stream.Submit("matmul", storages, bytes, [work = std::move(work)] { work.Run(); });
}

std::uint64_t TakeElements(const KeyedComputeStream& stream, Within<std::size_t, 1, 16> itemsize,
                           ElementType index_type, OperationWords words) {
  if ((itemsize & (itemsize - 1)) != 0) Refuse("itemsize must be 1, 2, 4, 8 or 16");
  if (index_type != compute::Type::kInt32 && index_type != compute::Type::kInt64)
    Refuse("indexType must be int32 or int64");
  const auto storages = words.Storages(3, 1);
  compute::Take work;
  work.shape = words.Shape("the rank");
  const auto last = static_cast<std::int64_t>(work.shape.size()) - 1;
  if (last < 0) Refuse("layout: the rank must be 1 or more");
  work.axis = static_cast<std::size_t>(words.Next("the axis", 0, last));
  work.length = words.Next("the length", 0, kLongestAxis);
  work.wrap = words.Next("the mode", 0, 1) == 1;
  std::vector<std::int64_t> in_shape = work.shape;
  in_shape[work.axis] = work.length;
  CheckSize(in_shape);
  const std::int64_t count = work.shape[work.axis];
  work.index_size = compute::SizeOf(index_type);
  work.out = ToOperand(storages[0], words.NextView(work.shape.size()), work.shape, itemsize);
  work.in = ToOperand(storages[1], words.NextView(work.shape.size()), in_shape, itemsize);
  const std::array<std::int64_t, 1> index_shape{count};
  const compute::Operand index = ToOperand(storages[2], words.NextView(1), index_shape, work.index_size);
  work.index = index.first;
  work.index_stride = index.strides[0];
  words.End();
  const std::size_t size = SizeOfShape(work.shape);
  if (size == 0) return Unchanged(stream);
  if (work.wrap && work.length == 0) Refuse("cannot take from an axis of length 0");
  const std::size_t bytes = 2 * size * itemsize + static_cast<std::size_t>(count) * work.index_size;
  return stream.Submit("take", storages, bytes, [work = std::move(work)] { work.Run(); });
}

/** Reads the two parameters of a distribution, if it has any. */
void ReadParameters(const Napi::Value& value, compute::Random& random) {
  if (random.distribution == compute::Distribution::kBits) return;
  const bool integers = random.distribution == compute::Distribution::kIntegers;
  const auto wanted = integers ? napi_bigint64_array : napi_float64_array;
  const bool right = value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == wanted &&
                     value.As<Napi::TypedArray>().ElementLength() == 2;
  const Argument argument{value, "parameters"};
  if (!right)
    Refuse(argument, std::string("two numbers in a ") + (integers ? "BigInt64Array" : "Float64Array"));
  const void* memory = Convert(argument, As<std::span<std::byte>>{}).data();
  if (integers) {
    const auto* numbers = static_cast<const std::uint64_t*>(memory);
    random.low = numbers[0];
    random.range = numbers[1] - numbers[0];
    const bool is_signed = compute::IsSigned(random.type);
    const bool rising = is_signed
                            ? static_cast<std::int64_t>(numbers[0]) < static_cast<std::int64_t>(numbers[1])
                            : numbers[0] < numbers[1];
    if (!rising) Refuse("low must be below high");
  } else {
    const auto* numbers = static_cast<const double*>(memory);
    random.first = numbers[0];
    random.second = numbers[1];
  }
}

std::uint64_t Random(const KeyedComputeStream& stream, compute::Distribution distribution, ElementType type,
                     Address seed, Address offset, const Napi::Value& parameters, OperationWords words) {
  compute::Random work{};
  work.distribution = distribution;
  work.type = type;
  work.seed = seed;
  work.offset = offset;
  ReadParameters(parameters, work);
  work.Check();
  const auto storages = words.Storages(1, 1);
  const std::int64_t count = words.Next("the count", 0, kLongestAxis);
  const std::size_t itemsize = compute::SizeOf(work.type);
  const View view{words.Next("an offset", 0, kLongestAxis), {static_cast<std::int64_t>(itemsize)}};
  words.End();
  const std::array<std::int64_t, 1> shape{count};
  work.out = ToOperand(storages[0], view, shape, itemsize).first;
  work.count = static_cast<std::size_t>(count);
  if (count == 0) return Unchanged(stream);
  return stream.Submit("random", storages, work.count * itemsize, [work] { work.Run(); });
}

std::uint64_t SpacedNumbers(const KeyedComputeStream& stream, ElementType type, double first, double step,
                            OperationWords words) {
  if (type != compute::Type::kFloat32 && type != compute::Type::kFloat64)
    Refuse("type must be float32 or float64");
  const auto storages = words.Storages(1, 1);
  const std::int64_t count = words.Next("the count", 0, kLongestAxis);
  const std::size_t itemsize = compute::SizeOf(type);
  const View view{words.Next("an offset", 0, kLongestAxis), {static_cast<std::int64_t>(itemsize)}};
  words.End();
  const std::array<std::int64_t, 1> shape{count};
  const compute::Operand out = ToOperand(storages[0], view, shape, itemsize);
  if (count == 0) return Unchanged(stream);
  const compute::Spaced work{type, first, step, out.first, static_cast<std::size_t>(count)};
  return stream.Submit("arange", storages, work.count * itemsize, [work] { work.Run(); });
}

constexpr Function kProgramTable[] = {Getter<KeyOf<ProgramObject>>("key")};

constexpr Function kComputeTable[] = {
    Bind<MakeProgram>("makeProgram", "words", "constants"),
    Bind<Words>("words"),
    Bind<Elementwise>("elementwise", "stream", "program", "count"),
    Bind<Reduce>("reduce", "stream", "operation", "inputType", "outputType", "count"),
    Bind<Cumulate>("cumulate", "stream", "operation", "inputType", "outputType", "count"),
    Bind<Matmul>("matmul", "stream", "type", "count"),
    Bind<TakeElements>("take", "stream", "itemsize", "indexType", "count"),
    Bind<compute::TakeInvalidIndices>("invalidIndices"),
    Bind<SpacedNumbers>("spaced", "stream", "type", "first", "step", "count"),
    Bind<Random>("random", "stream", "distribution", "type", "seed", "offset", "parameters", "count"),
};

}  // namespace

const Functions ProgramObject::kMethods = kProgramTable;
const Functions kComputeCalls = kComputeTable;

}  // namespace stridelab::binding

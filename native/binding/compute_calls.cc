#include "binding/compute_calls.h"

#include <array>
#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "binding/arguments.h"
#include "binding/environment.h"
#include "binding/errors.h"
#include "binding/layout_reader.h"
#include "binding/program_object.h"
#include "binding/storage_object.h"
#include "compute/matmul.h"
#include "compute/random.h"
#include "compute/reduce.h"
#include "compute/take.h"
#include "core/operation.h"

namespace stridelab::binding {
namespace {

using core::ErrorKind;

[[noreturn]] void Refuse(const std::string& reason) { throw core::Error(ErrorKind::kArgument, reason); }

std::vector<core::Storage*> ToStorages(Napi::Value value, std::size_t count) {
  if (!value.IsArray()) Refuse("storages must be an array");
  const auto list = value.As<Napi::Array>();
  if (list.Length() != count) Refuse(std::to_string(count) + " storages are needed");
  std::vector<core::Storage*> storages;
  for (std::uint32_t index = 0; index < count; ++index)
    storages.push_back(&ToObject<StorageObject>(list.Get(index), "storage").native());
  return storages;
}

compute::Type ToType(Napi::Value value, const char* argument) {
  return static_cast<compute::Type>(ToInteger(value, argument, 0, compute::kTypes - 1));
}

std::byte* MemoryOf(const core::Storage& storage) {
  return driver::HandleFrom<std::byte*>(storage.pointer());
}

/** Submits host code that writes the first `outputs` storages and reads the others. */
void Submit(Napi::Env env, const std::shared_ptr<core::Stream>& stream, const char* name, std::size_t bytes,
            const std::vector<core::Storage*>& storages, std::size_t outputs, std::function<void()> work) {
  const driver::DriverTable& table = stream->device().table();
  if (table.simulateWork == nullptr) Refuse("host code of array operations runs on simulated devices only");
  std::vector<core::Operand> operands;
  for (std::size_t index = 0; index < storages.size(); ++index)
    operands.push_back({storages[index], index < outputs ? core::Access::kWrite : core::Access::kRead});
  const driver::SimulatedWork simulated{name, bytes, std::move(work)};
  core::RunOperation(stream, operands, Environment::Of(env).interrupt(), [&] {
    core::Check(table, table.simulateWork(stream->handle(), simulated), "simulateWork");
  });
}

std::size_t Count(const compute::Extents& shape) {
  std::size_t count = 1;
  for (const std::int64_t length : shape) count *= static_cast<std::size_t>(length);
  return count;
}

Napi::Value MakeProgram(const Napi::CallbackInfo& info) {
  const bool words =
      info[0].IsTypedArray() && info[0].As<Napi::TypedArray>().TypedArrayType() == napi_int32_array;
  if (!words) Refuse("words must be an Int32Array");
  const auto list = info[0].As<Napi::Int32Array>();
  const HostBytes constants = ToHostBytes(info[1], "constants");
  std::shared_ptr<const compute::Program> program;
  try {
    program = std::make_shared<const compute::Program>(
        std::span<const std::int32_t>(list.Data(), list.ElementLength()),
        std::span<const std::byte>(static_cast<const std::byte*>(constants.data), constants.bytes));
  } catch (const std::invalid_argument& failure) {
    Refuse(failure.what());
  }
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.program_class(), &program);
}

Napi::Value Elementwise(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  const auto program = ToObject<ProgramObject>(info[1], "program").native();
  LayoutReader reader(info[2]);
  compute::Space space;
  space.shape = reader.NextShape();
  const std::size_t outputs = program->outputs().size();
  const std::size_t count = outputs + program->inputs().size();
  const std::vector<core::Storage*> storages = ToStorages(info[3], count);
  std::vector<std::byte*> bases;
  std::size_t bytes = 0;
  for (std::size_t which = 0; which < count; ++which) {
    space.operands.push_back(reader.NextOperand(space.shape.size()));
    const compute::Type type =
        which < outputs ? program->outputs()[which].type : program->inputs()[which - outputs];
    RequireInside(*storages[which], space.shape, space.operands.back(), compute::ItemSize(type));
    bases.push_back(MemoryOf(*storages[which]));
    bytes += Count(space.shape) * compute::ItemSize(type);
  }
  reader.RequireEnd();
  Submit(info.Env(), stream, "elementwise", bytes, storages, outputs,
         [program, space, bases] { program->Run(space, bases); });
  return info.Env().Undefined();
}

Napi::Value Reduce(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  compute::ReduceRequest request{};
  request.operation = static_cast<compute::Reduction>(ToInteger(info[1], "operation", 0, 7));
  request.from = ToType(info[2], "inputType");
  request.to = ToType(info[3], "outputType");
  if (!compute::CanReduce(request.operation, request.from, request.to))
    Refuse("no such reduction of these types");
  LayoutReader reader(info[4]);
  request.kept = reader.NextShape();
  request.reduced = reader.NextShape();
  request.out = reader.NextOperand(request.kept.size());
  request.in = reader.NextOperand(request.kept.size() + request.reduced.size());
  reader.RequireEnd();
  const bool needs_one = request.operation >= compute::Reduction::kArgMinimum ||
                         request.operation == compute::Reduction::kMinimum ||
                         request.operation == compute::Reduction::kMaximum;
  if (needs_one && Count(request.reduced) == 0) Refuse("no element to choose from");
  const std::vector<core::Storage*> storages = ToStorages(info[5], 2);
  compute::Extents all = request.kept;
  all.insert(all.end(), request.reduced.begin(), request.reduced.end());
  RequireInside(*storages[0], request.kept, request.out, compute::ItemSize(request.to));
  RequireInside(*storages[1], all, request.in, compute::ItemSize(request.from));
  std::byte* out = MemoryOf(*storages[0]);
  const std::byte* in = MemoryOf(*storages[1]);
  Submit(info.Env(), stream, "reduce", Count(all) * compute::ItemSize(request.from), storages, 1,
         [request, out, in] { compute::Reduce(request, out, in); });
  return info.Env().Undefined();
}

Napi::Value Cumulate(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  compute::CumulateRequest request{};
  request.operation = static_cast<compute::Reduction>(ToInteger(info[1], "operation", 0, 3));
  request.from = ToType(info[2], "inputType");
  request.to = ToType(info[3], "outputType");
  if (!compute::CanReduce(request.operation, request.from, request.to))
    Refuse("no such reduction of these types");
  LayoutReader reader(info[4]);
  request.shape = reader.NextShape();
  request.length = reader.NextCount();
  request.out = reader.NextOperand(request.shape.size() + 1);
  request.in = reader.NextOperand(request.shape.size() + 1);
  reader.RequireEnd();
  const std::vector<core::Storage*> storages = ToStorages(info[5], 2);
  compute::Extents all = request.shape;
  all.push_back(request.length);
  RequireInside(*storages[0], all, request.out, compute::ItemSize(request.to));
  RequireInside(*storages[1], all, request.in, compute::ItemSize(request.from));
  std::byte* out = MemoryOf(*storages[0]);
  const std::byte* in = MemoryOf(*storages[1]);
  Submit(info.Env(), stream, "cumulate", 2 * Count(all) * compute::ItemSize(request.from), storages, 1,
         [request, out, in] { compute::Cumulate(request, out, in); });
  return info.Env().Undefined();
}

Napi::Value Matmul(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  compute::MatmulRequest request{};
  request.type = ToType(info[1], "type");
  LayoutReader reader(info[2]);
  request.batch = reader.NextShape();
  request.m = reader.NextCount();
  request.n = reader.NextCount();
  request.k = reader.NextCount();
  const std::vector<core::Storage*> storages = ToStorages(info[3], 3);
  const std::array<std::pair<compute::Strided*, std::array<std::int64_t, 2>>, 3> operands = {{
      {&request.out, {request.m, request.n}},
      {&request.a, {request.m, request.k}},
      {&request.b, {request.k, request.n}},
  }};
  std::size_t bytes = 0;
  for (std::size_t which = 0; which < operands.size(); ++which) {
    const auto& [operand, sides] = operands[which];
    compute::Extents shape = request.batch;
    shape.insert(shape.end(), sides.begin(), sides.end());
    *operand = reader.NextOperand(shape.size());
    RequireInside(*storages[which], shape, *operand, compute::ItemSize(request.type));
    bytes += Count(shape) * compute::ItemSize(request.type);
  }
  reader.RequireEnd();
  const std::array<std::byte*, 3> bases = {MemoryOf(*storages[0]), MemoryOf(*storages[1]),
                                           MemoryOf(*storages[2])};
  Submit(info.Env(), stream, "matmul", bytes, storages, 1,
         [request, bases] { compute::Matmul(request, bases[0], bases[1], bases[2]); });
  return info.Env().Undefined();
}

Napi::Value Take(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  compute::TakeRequest request{};
  request.itemsize = ToSize(info[1], "itemsize");
  request.wide = ToBoolean(info[2], "wide");
  LayoutReader reader(info[3]);
  request.before = reader.NextShape();
  request.count = reader.NextCount();
  request.after = reader.NextShape();
  request.length = reader.NextCount();
  const std::size_t axes = request.before.size() + 1 + request.after.size();
  request.out = reader.NextOperand(axes);
  request.in = reader.NextOperand(axes);
  request.index = reader.NextOperand(1);
  reader.RequireEnd();
  const std::vector<core::Storage*> storages = ToStorages(info[4], 3);
  const auto shape_with = [&](std::int64_t along) {
    compute::Extents shape = request.before;
    shape.push_back(along);
    shape.insert(shape.end(), request.after.begin(), request.after.end());
    return shape;
  };
  RequireInside(*storages[0], shape_with(request.count), request.out, request.itemsize);
  RequireInside(*storages[1], shape_with(request.length), request.in, request.itemsize);
  RequireInside(*storages[2], {request.count}, request.index, request.wide ? 8 : 4);
  const std::array<std::byte*, 3> bases = {MemoryOf(*storages[0]), MemoryOf(*storages[1]),
                                           MemoryOf(*storages[2])};
  Submit(info.Env(), stream, "take", 2 * Count(shape_with(request.count)) * request.itemsize, storages, 1,
         [request, bases] { compute::Take(request, bases[0], bases[1], bases[2]); });
  return info.Env().Undefined();
}

Napi::Value Random(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  compute::RandomRequest request{};
  request.distribution = static_cast<compute::Distribution>(ToInteger(info[1], "distribution", 0, 3));
  request.type = ToType(info[2], "type");
  if (!compute::CanDraw(request.distribution, request.type)) Refuse("no such distribution of this type");
  request.seed = ToAddress(info[3], "seed");
  request.offset = ToAddress(info[4], "offset");
  request.low = static_cast<std::int64_t>(ToAddress(info[5], "low"));
  request.span = ToAddress(info[6], "span");
  request.count = ToSize(info[7], "count");
  const std::size_t offset = ToSize(info[8], "byteOffset");
  const std::vector<core::Storage*> storages = ToStorages(info[9], 1);
  const compute::Strided operand{static_cast<std::int64_t>(offset),
                                 {static_cast<std::int64_t>(compute::ItemSize(request.type))}};
  RequireInside(*storages[0], {static_cast<std::int64_t>(request.count)}, operand,
                compute::ItemSize(request.type));
  std::byte* out = MemoryOf(*storages[0]) + offset;
  Submit(info.Env(), stream, "random", request.count * compute::ItemSize(request.type), storages, 1,
         [request, out] { compute::Draw(request, out); });
  return info.Env().Undefined();
}

template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
void Export(Napi::Object target, const char* name) {
  target.Set(name, Napi::Function::New(
                       target.Env(),
                       [](const Napi::CallbackInfo& info) {
                         return Guarded(info.Env(), [&] { return Body(info); });
                       },
                       name));
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
  Export<Random>(compute, "random");
  return compute;
}

}  // namespace stridelab::binding

#include "binding/compute_calls.h"

#include <memory>
#include <stdexcept>

#include "binding/arguments.h"
#include "binding/compute_layout.h"
#include "binding/compute_submit.h"
#include "binding/errors.h"
#include "compute/elementwise.h"
#include "compute/program.h"

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
  program.release();
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

/** What the loops refuse is an argument of the wrong kind. */
template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
Napi::Value Call(const Napi::CallbackInfo& info) {
  return Guarded(info.Env(), [&] {
    try {
      return Body(info);
    } catch (const std::invalid_argument& error) {
      throw core::Error(core::ErrorKind::kArgument, error.what());
    }
  });
}

template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
void Export(Napi::Object exports, const char* name) {
  exports.Set(name, Napi::Function::New<Call<Body>>(exports.Env(), name));
}

}  // namespace

Napi::Object DefineCompute(Napi::Env env) {
  Napi::Object compute = Napi::Object::New(env);
  Export<MakeProgram>(compute, "makeProgram");
  Export<Elementwise>(compute, "elementwise");
  return compute;
}

}  // namespace stridelab::binding

#include "binding/module_object.h"

#include <algorithm>

#include "binding/arguments.h"
#include "binding/environment.h"
#include "binding/storage_object.h"
#include "generated/words.h"

namespace stridelab::binding {
namespace {

constexpr std::size_t kMostOperands = 256;
/** A launch carries at most this many bytes of parameters. */
constexpr std::size_t kMostParameterBytes = 32764;

/** Parameters of the given sizes, each at a multiple of its size up to 16, as the compiler places them. */
std::vector<core::Parameter> PlaceParameters(Napi::Value sizes) {
  if (!sizes.IsArray()) {
    throw core::Error(core::ErrorKind::kArgument,
                      "this driver, older than CUDA 12.4, does not tell a kernel's parameters: give the "
                      "kernel's declaration with types of known size, or update the driver");
  }
  const auto list = sizes.As<Napi::Array>();
  std::vector<core::Parameter> parameters;
  std::size_t end = 0;
  for (std::uint32_t index = 0; index < list.Length(); ++index) {
    const std::size_t bytes = ToSize(list.Get(index), "parameter size");
    if (bytes == 0 || bytes > kMostParameterBytes)
      throw core::Error(core::ErrorKind::kArgument, "a parameter of " + std::to_string(bytes) + " bytes");
    const std::size_t alignment = std::min<std::size_t>(bytes & (~bytes + 1), 16);
    const std::size_t offset = (end + alignment - 1) / alignment * alignment;
    parameters.push_back({offset, bytes});
    end = offset + bytes;
  }
  return parameters;
}

}  // namespace

Napi::Function ModuleObject::Define(Napi::Env env) {
  Napi::Function constructor = DefineClass(env, kName,
                                           {
                                               Method<&ModuleObject::Device>("device", kGetter),
                                               Method<&ModuleObject::FindKernel>("kernel"),
                                               Method<&ModuleObject::FindGlobal>("global"),
                                               Method<&ModuleObject::Unload>("unload"),
                                           });
  TurnIntoGetters(constructor);
  return constructor;
}

ModuleObject::ModuleObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    const void* native = Environment::Of(info.Env()).TakeHandedOver();
    module_ = *static_cast<const std::shared_ptr<core::Module>*>(native);
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

Napi::Value ModuleObject::Device(const Napi::CallbackInfo& info) {
  return Environment::Of(info.Env()).Wrap(module_->device());
}

Napi::Value ModuleObject::FindKernel(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) throw core::Error(core::ErrorKind::kArgument, "name must be a string");
  KernelHandle handle{module_->FindKernel(info[0].As<Napi::String>()), {}};
  const auto& known = handle.kernel->parameters();
  handle.parameters = known ? *known : PlaceParameters(info[1]);
  Environment& environment = Environment::Of(info.Env());
  return environment.Construct(environment.kernel_class(), &handle);
}

Napi::Value ModuleObject::FindGlobal(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) throw core::Error(core::ErrorKind::kArgument, "name must be a string");
  const core::Module::Global global = module_->FindGlobal(info[0].As<Napi::String>());
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("pointer", FromAddress(info.Env(), global.pointer));
  result.Set("bytes", static_cast<double>(global.bytes));
  return result;
}

Napi::Value ModuleObject::Unload(const Napi::CallbackInfo& info) {
  module_->Unload(Environment::Of(info.Env()).interrupt());
  return info.Env().Undefined();
}

Napi::Function KernelObject::Define(Napi::Env env) {
  Napi::Function constructor =
      DefineClass(env, kName,
                  {
                      Method<&KernelObject::Config>("config", kGetter),
                      Method<&KernelObject::Values>("values", kGetter),
                      Method<&KernelObject::Parameters>("parameters", kGetter),
                      Method<&KernelObject::Attributes>("attributes"),
                      Method<&KernelObject::BlocksPerMultiprocessor>("blocksPerMultiprocessor"),
                      Method<&KernelObject::SuggestBlock>("suggestBlock"),
                      Method<&KernelObject::Launch>("launch"),
                  });
  TurnIntoGetters(constructor);
  return constructor;
}

KernelObject::KernelObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    const auto& handle = *static_cast<const KernelHandle*>(Environment::Of(info.Env()).TakeHandedOver());
    kernel_ = handle.kernel;
    parameters_ = handle.parameters;
    info.This().As<Napi::Object>().TypeTag(&kTag);
    const std::size_t end = parameters_.empty() ? 0 : parameters_.back().offset + parameters_.back().bytes;
    auto values = Napi::ArrayBuffer::New(info.Env(), end);
    auto config = Napi::Uint32Array::New(info.Env(), launch_word::kAccess + kMostOperands);
    values_ = Napi::Reference<Napi::ArrayBuffer>::New(values, 1);
    config_ = Napi::Reference<Napi::Uint32Array>::New(config, 1);
    config_words_ = config.Data();
    auto* bytes = static_cast<unsigned char*>(values.Data());
    for (const core::Parameter& parameter : parameters_) value_pointers_.push_back(bytes + parameter.offset);
  });
}

Napi::Value KernelObject::Config(const Napi::CallbackInfo&) { return config_.Value(); }

Napi::Value KernelObject::Values(const Napi::CallbackInfo&) { return values_.Value(); }

Napi::Value KernelObject::Parameters(const Napi::CallbackInfo& info) {
  Napi::Array list = Napi::Array::New(info.Env(), parameters_.size());
  for (std::uint32_t index = 0; index < parameters_.size(); ++index) {
    Napi::Object entry = Napi::Object::New(info.Env());
    entry.Set("offset", static_cast<double>(parameters_[index].offset));
    entry.Set("bytes", static_cast<double>(parameters_[index].bytes));
    list.Set(index, entry);
  }
  return list;
}

Napi::Value KernelObject::Attributes(const Napi::CallbackInfo& info) {
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("maxThreadsPerBlock", kernel_->Attribute(driver::kFunctionMaxThreadsPerBlock));
  result.Set("sharedBytes", kernel_->Attribute(driver::kFunctionSharedBytes));
  result.Set("constantBytes", kernel_->Attribute(driver::kFunctionConstantBytes));
  result.Set("localBytes", kernel_->Attribute(driver::kFunctionLocalBytes));
  result.Set("registers", kernel_->Attribute(driver::kFunctionRegisters));
  result.Set("ptxVersion", kernel_->Attribute(driver::kFunctionPtxVersion));
  result.Set("binaryVersion", kernel_->Attribute(driver::kFunctionBinaryVersion));
  return result;
}

Napi::Value KernelObject::BlocksPerMultiprocessor(const Napi::CallbackInfo& info) {
  const auto block = static_cast<int>(ToInteger(info[0], "block", 1, INT32_MAX));
  return Napi::Number::New(info.Env(),
                           kernel_->BlocksPerMultiprocessor(block, ToSize(info[1], "sharedBytes")));
}

Napi::Value KernelObject::SuggestBlock(const Napi::CallbackInfo& info) {
  const std::size_t shared = ToSize(info[0], "sharedBytes");
  const auto limit = static_cast<int>(ToInteger(info[1], "limit", 0, INT32_MAX));
  const core::Kernel::Suggestion suggestion = kernel_->SuggestBlock(shared, limit);
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("block", suggestion.block);
  result.Set("leastGrid", suggestion.least_grid);
  return result;
}

Napi::Value KernelObject::Launch(const Napi::CallbackInfo& info) {
  const auto& stream = ToStream(info[0], "stream");
  const std::size_t count = info.Length() - 1;
  if (count > kMostOperands)
    throw core::Error(core::ErrorKind::kArgument, "a launch with more than 256 arrays");
  const std::uint32_t* words = config_words_;
  operands_.clear();
  for (std::size_t index = 0; index < count; ++index) {
    const core::Access access =
        words[launch_word::kAccess + index] == 0 ? core::Access::kRead : core::Access::kWrite;
    operands_.push_back({&ToObject<StorageObject>(info[index + 1], "storage").native(), access});
  }
  const std::uint32_t* grid = words + launch_word::kGrid;
  const std::uint32_t* block = words + launch_word::kBlock;
  const core::LaunchShape shape = {{grid[0], grid[1], grid[2]},
                                   {block[0], block[1], block[2]},
                                   words[launch_word::kSharedBytes],
                                   words[launch_word::kCooperative] != 0};
  const std::uint64_t sequence = kernel_->Launch(stream, shape, value_pointers_.data(), operands_,
                                                 Environment::Of(info.Env()).interrupt());
  return Napi::Number::New(info.Env(), static_cast<double>(core::Stream::OperationOf(sequence)));
}

}  // namespace stridelab::binding

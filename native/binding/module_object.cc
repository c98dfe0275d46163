#include <algorithm>

#include "binding/objects.h"
#include "generated/words.h"

namespace stridelab::binding {
namespace {

using core::Kernel;
using core::Module;

constexpr std::size_t kMostOperands = 256;
/** The maximum number of parameter bytes of a launch. */
constexpr std::size_t kMostParameterBytes = 32764;

/** Places parameters of the given sizes as the compiler does: each at a multiple of its size, up to 16. */
std::vector<core::Parameter> PlaceParameters(const Napi::Value& sizes) {
  if (!sizes.IsArray()) {
    Refuse(
        "this driver, older than CUDA 12.4, does not tell a kernel's parameters: give the kernel's "
        "declaration with types of known size, or update the driver");
  }
  std::vector<core::Parameter> parameters;
  std::size_t end = 0;
  for (const std::size_t bytes : Convert(Argument{sizes, "parameter size"}, As<std::vector<std::size_t>>{})) {
    if (bytes == 0 || bytes > kMostParameterBytes)
      Refuse("a parameter must have 1 to 32764 bytes, not " + std::to_string(bytes));
    const std::size_t alignment = std::min<std::size_t>(bytes & (~bytes + 1), 16);
    const std::size_t offset = (end + alignment - 1) / alignment * alignment;
    parameters.push_back({offset, bytes});
    end = offset + bytes;
  }
  return parameters;
}

Napi::Object FindKernel(Environment& environment, Module& module, const std::string& name,
                        const Napi::Value& sizes) {
  KernelHandle handle{module.FindKernel(name), {}};
  const auto& known = handle.kernel->parameters();
  handle.parameters = known ? *known : PlaceParameters(sizes);
  return environment.New<KernelObject>(handle);
}

Fields FindGlobal(Env env, Module& module, const std::string& name) {
  const Module::Global global = module.FindGlobal(name);
  return Fields(env).Set("pointer", Address{global.pointer}).Set("bytes", global.bytes);
}

std::vector<Fields> Parameters(Env env, const KernelObject& kernel) {
  std::vector<Fields> list;
  for (const core::Parameter& parameter : kernel.held().parameters)
    list.push_back(Fields(env).Set("offset", parameter.offset).Set("bytes", parameter.bytes));
  return list;
}

Fields Attributes(Env env, const Kernel& kernel) {
  return Fields(env)
      .Set("maxThreadsPerBlock", kernel.Attribute(driver::kFunctionMaxThreadsPerBlock))
      .Set("sharedBytes", kernel.Attribute(driver::kFunctionSharedBytes))
      .Set("constantBytes", kernel.Attribute(driver::kFunctionConstantBytes))
      .Set("localBytes", kernel.Attribute(driver::kFunctionLocalBytes))
      .Set("registers", kernel.Attribute(driver::kFunctionRegisters))
      .Set("ptxVersion", kernel.Attribute(driver::kFunctionPtxVersion))
      .Set("binaryVersion", kernel.Attribute(driver::kFunctionBinaryVersion));
}

int BlocksPerMultiprocessor(Kernel& kernel, Within<int, 1, INT32_MAX> block, std::size_t shared_bytes) {
  return kernel.BlocksPerMultiprocessor(block, shared_bytes);
}

Fields SuggestBlock(Env env, Kernel& kernel, std::size_t shared_bytes, Within<int, 0, INT32_MAX> limit) {
  const Kernel::Suggestion suggestion = kernel.SuggestBlock(shared_bytes, limit);
  return Fields(env).Set("block", suggestion.block).Set("leastGrid", suggestion.least_grid);
}

constexpr Function kModuleTable[] = {
    Getter<&Module::device>("device"),
    Method<FindKernel>("kernel", "name", "sizes"),
    Method<FindGlobal>("global", "name"),
    Method<&Module::Unload>("unload"),
};
constexpr Function kKernelTable[] = {
    Getter<KeyOf<KernelObject>>("key"),
    Getter<&KernelObject::config>("config"),
    Getter<&KernelObject::operands>("operands"),
    Getter<&KernelObject::values>("values"),
    Getter<Parameters>("parameters"),
    Method<Attributes>("attributes"),
    Method<BlocksPerMultiprocessor>("blocksPerMultiprocessor", "block", "sharedBytes"),
    Method<SuggestBlock>("suggestBlock", "sharedBytes", "limit"),
};

}  // namespace

const Functions ModuleObject::kMethods = kModuleTable;
const Functions KernelObject::kMethods = kKernelTable;

KernelObject::KernelObject(const Napi::CallbackInfo& info) : NativeObject(info) {
  RunConstructor(info.Env(), [&] {
    const std::vector<core::Parameter>& parameters = held_.parameters;
    const std::size_t end = parameters.empty() ? 0 : parameters.back().offset + parameters.back().bytes;
    auto values = Napi::ArrayBuffer::New(info.Env(), end);
    auto config = Napi::Uint32Array::New(info.Env(), launch_word::kAccess + kMostOperands);
    auto keys = Napi::Uint32Array::New(info.Env(), kMostOperands);
    operand_keys_ = Napi::Reference<Napi::Uint32Array>::New(keys, 1);
    keys_ = keys.Data();
    values_ = Napi::Reference<Napi::ArrayBuffer>::New(values, 1);
    config_ = Napi::Reference<Napi::Uint32Array>::New(config, 1);
    config_words_ = config.Data();
    auto* bytes = static_cast<unsigned char*>(values.Data());
    for (const core::Parameter& parameter : parameters) value_pointers_.push_back(bytes + parameter.offset);
  });
}

std::uint64_t KernelObject::Launch(const std::shared_ptr<core::Stream>& stream, std::size_t count,
                                   const core::InterruptFlag& interrupt) {
  if (count > kMostOperands) Refuse("a launch takes at most 256 arrays, not " + std::to_string(count));
  const std::uint32_t* words = config_words_;
  operands_.clear();
  for (std::size_t index = 0; index < count; ++index) {
    const core::Access access =
        words[launch_word::kAccess + index] == 0 ? core::Access::kRead : core::Access::kWrite;
    operands_.push_back({FromKey<StorageObject>(keys_[index], "operand").native().get(), access});
  }
  const std::uint32_t* grid = words + launch_word::kGrid;
  const std::uint32_t* block = words + launch_word::kBlock;
  const core::LaunchShape shape = {{grid[0], grid[1], grid[2]},
                                   {block[0], block[1], block[2]},
                                   words[launch_word::kSharedBytes],
                                   words[launch_word::kCooperative] != 0};
  return core::Stream::OperationOf(
      held_.kernel->Launch(stream, shape, value_pointers_.data(), operands_, interrupt));
}

}  // namespace stridelab::binding

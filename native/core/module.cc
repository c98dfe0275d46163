#include "core/module.h"

#include <algorithm>
#include <climits>

#include "core/device.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/stream.h"

namespace stridelab::core {

std::shared_ptr<Module> Module::Load(Device& device, std::string_view image) {
  const driver::DriverTable& table = device.table();
  if (table.cuModuleLoadDataEx == nullptr) {
    throw Error(ErrorKind::kArgument,
                "device code cannot run on a simulated device: it needs a GPU with the CUDA driver");
  }
  const std::string text(image);  // The driver reads PTX up to a zero byte.
  std::array<char, 4096> log{};
  std::array<int, 2> options = {driver::kJitErrorLogBuffer, driver::kJitErrorLogBytes};
  std::array<void*, 2> values = {log.data(), driver::HandleFrom<void*>(log.size() - 1)};
  const ContextScope scope = device.Enter();
  driver::CUmodule handle = nullptr;
  const driver::CUresult status =
      table.cuModuleLoadDataEx(&handle, text.data(), options.size(), options.data(), values.data());
  if (status != driver::kSuccess) ThrowDriverError(table, status, "cuModuleLoadDataEx", log.data());
  return std::shared_ptr<Module>(new Module(device, handle));
}

void Module::RequireLoaded() const {
  if (handle_ == nullptr) throw Error(ErrorKind::kFreed, "the module was unloaded");
}

std::shared_ptr<Kernel> Module::FindKernel(const std::string& name) {
  RequireLoaded();
  const ContextScope scope = device_.Enter();
  driver::CUfunction function = nullptr;
  const driver::CUresult status = device_.table().cuModuleGetFunction(&function, handle_, name.c_str());
  if (status == driver::kNotFound)
    throw Error(ErrorKind::kArgument, "the module has no kernel named '" + name + "'");
  Check(device_.table(), status, "cuModuleGetFunction");
  return std::make_shared<Kernel>(shared_from_this(), function, name);
}

Module::Global Module::FindGlobal(const std::string& name) {
  RequireLoaded();
  const ContextScope scope = device_.Enter();
  Global global{};
  const driver::CUresult status =
      device_.table().cuModuleGetGlobal(&global.pointer, &global.bytes, handle_, name.c_str());
  if (status == driver::kNotFound)
    throw Error(ErrorKind::kArgument, "the module has no variable named '" + name + "'");
  Check(device_.table(), status, "cuModuleGetGlobal");
  return global;
}

void Module::Unload(const InterruptFlag& interrupt) {
  if (handle_ == nullptr) return;
  ReleaseUnlessLost([&] { device_.Synchronize(interrupt); });
  const driver::CUmodule handle = handle_.exchange(nullptr);
  if (handle == nullptr) return;
  ReleaseUnlessLost([&] { device_.Call<&DriverTable::cuModuleUnload>(handle); });
}

Kernel::Kernel(std::shared_ptr<Module> module, driver::CUfunction handle, std::string name)
    : module_(std::move(module)), handle_(handle), name_(std::move(name)) {
  const driver::DriverTable& table = module_->device().table();
  if (table.cuFuncGetParamInfo == nullptr) return;
  parameters_.emplace();
  Parameter parameter{};
  while (table.cuFuncGetParamInfo(handle_, parameters_->size(), &parameter.offset, &parameter.bytes) ==
         driver::kSuccess) {
    parameters_->push_back(parameter);
  }
}

int Kernel::Attribute(driver::FunctionAttribute attribute) const {
  module_->RequireLoaded();
  int value = 0;
  module_->device().Call<&DriverTable::cuFuncGetAttribute>(&value, attribute, handle_);
  return value;
}

int Kernel::BlocksPerMultiprocessor(int block, std::size_t shared_bytes) {
  module_->RequireLoaded();
  AllowShared(shared_bytes);
  int blocks = 0;
  module_->device().Call<&DriverTable::cuOccupancyMaxActiveBlocksPerMultiprocessor>(&blocks, handle_, block,
                                                                                    shared_bytes);
  return blocks;
}

Kernel::Suggestion Kernel::SuggestBlock(std::size_t shared_bytes, int limit) {
  module_->RequireLoaded();
  AllowShared(shared_bytes);
  Suggestion suggestion{};
  module_->device().Call<&DriverTable::cuOccupancyMaxPotentialBlockSize>(
      &suggestion.least_grid, &suggestion.block, handle_, nullptr, shared_bytes, limit);
  return suggestion;
}

void Kernel::AllowShared(std::size_t bytes) {
  if (bytes <= allowed_shared_) return;
  const driver::DriverTable& table = module_->device().table();
  const ContextScope scope = module_->device().Enter();
  // Less than 48 KiB if the kernel declares static shared memory; more if another Kernel object of the same
  // function raised it.
  int allowed = 0;
  CallDriver<&DriverTable::cuFuncGetAttribute>(table, &allowed, driver::kFunctionMaxDynamicSharedBytes,
                                               handle_);
  if (bytes > static_cast<std::size_t>(allowed)) {
    const int asked = static_cast<int>(std::min<std::size_t>(bytes, INT_MAX));
    const driver::CUresult status =
        table.cuFuncSetAttribute(handle_, driver::kFunctionMaxDynamicSharedBytes, asked);
    if (status != driver::kSuccess) {
      ThrowDriverError(table, status, "cuFuncSetAttribute",
                       "kernel " + name_ + ", " + std::to_string(bytes) +
                           " bytes of dynamic shared memory, more than this device has for a block");
    }
    allowed = asked;
  }
  allowed_shared_ = static_cast<std::size_t>(allowed);
}

std::uint64_t Kernel::Launch(const std::shared_ptr<Stream>& stream, const LaunchShape& shape,
                             void** parameters, std::span<const Operand> operands,
                             const InterruptFlag& interrupt) {
  module_->RequireLoaded();
  stream->RequireAlive();
  if (&stream->device() != &module_->device()) {
    throw Error(ErrorKind::kArgument,
                "stream " + std::to_string(stream->id()) + " is on another device than kernel " + name_);
  }
  AllowShared(shape.shared_bytes);
  const driver::DriverTable& table = module_->device().table();
  const TraceWork work{TraceKind::kKernel, name_, 0};
  const auto submit = [&] {
    const auto& [grid, block, shared, cooperative] = shape;
    const driver::CUresult status =
        cooperative ? table.cuLaunchCooperativeKernel(handle_, grid[0], grid[1], grid[2], block[0], block[1],
                                                      block[2], shared, stream->handle(), parameters)
                    : table.cuLaunchKernel(handle_, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                           shared, stream->handle(), parameters, nullptr);
    if (status != driver::kSuccess) {
      const auto text = [](const std::array<unsigned, 3>& extent) {
        return std::to_string(extent[0]) + " x " + std::to_string(extent[1]) + " x " +
               std::to_string(extent[2]);
      };
      std::string context = "kernel " + name_ + ", " + text(grid) + " blocks of " + text(block) +
                            " threads, " + std::to_string(shared) + " bytes of dynamic shared memory";
      int most = 0;
      if (table.cuFuncGetAttribute(&most, driver::kFunctionMaxThreadsPerBlock, handle_) == driver::kSuccess)
        context += "; a block of it has at most " + std::to_string(most) + " threads";
      ThrowDriverError(table, status, cooperative ? "cuLaunchCooperativeKernel" : "cuLaunchKernel", context);
    }
  };
  return RunOperation(stream, operands, interrupt, submit, work);
}

}  // namespace stridelab::core

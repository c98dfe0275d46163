#include "driver/recording/module_calls.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "driver/recording/call_log.h"
#include "driver/simulated/calls.h"

namespace stridelab::driver::recording {
namespace {

struct FakeKernel {
  std::string name;
  std::vector<std::size_t> parameters;
  int dynamic_shared_bytes = 48 * 1024;
};

struct FakeModule {
  std::vector<std::unique_ptr<FakeKernel>> kernels;
};

constexpr int kMaxThreads = 1024;
/** The maximum for a block on compute capability 9.0. */
constexpr int kMostSharedBytes = 227 * 1024;

/** The value of a parameter: a number, or its bytes if it is longer than 8. */
std::string ValueText(const void* value, std::size_t bytes) {
  if (bytes <= sizeof(std::uint64_t)) {
    std::uint64_t number = 0;
    std::memcpy(&number, value, bytes);
    return Number(number);
  }
  std::string text;
  for (std::size_t at = 0; at < bytes; ++at) {
    constexpr const char* kDigits = "0123456789abcdef";
    const unsigned byte = static_cast<const unsigned char*>(value)[at];
    text += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return text;
}

void NoteKernel(const FakeKernel& kernel, void** parameters) {
  std::string values;
  for (std::size_t index = 0; index < kernel.parameters.size(); ++index)
    values += (index == 0 ? "" : ", ") + ValueText(parameters[index], kernel.parameters[index]);
  Note(kernel.name.c_str(), values, kSuccess);
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned count, int* options,
                            void** values) {
  auto made = std::make_unique<FakeModule>();
  std::istringstream lines(static_cast<const char*>(image));
  bool valid = true;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    auto kernel = std::make_unique<FakeKernel>();
    valid = static_cast<bool>(words >> kernel->name) && valid;
    for (std::size_t bytes = 0; words >> bytes;) kernel->parameters.push_back(bytes);
    valid = valid && words.eof() && (std::isalpha(static_cast<unsigned char>(kernel->name[0])) != 0);
    made->kernels.push_back(std::move(kernel));
  }
  if (!valid || made->kernels.empty()) {
    for (unsigned index = 0; index < count; ++index) {
      if (options[index] == kJitErrorLogBuffer)
        std::strcpy(static_cast<char*>(values[index]), "the image is not a list of kernels");
    }
    return kInvalidImage;
  }
  *module = reinterpret_cast<CUmodule>(made.release());
  return kSuccess;
}

CUresult cuModuleUnload(CUmodule module) {
  delete reinterpret_cast<FakeModule*>(module);
  return kSuccess;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  for (const auto& kernel : reinterpret_cast<FakeModule*>(module)->kernels) {
    if (kernel->name != name) continue;
    *function = reinterpret_cast<CUfunction>(kernel.get());
    return kSuccess;
  }
  return kNotFound;
}

CUresult cuModuleGetGlobal(CUdeviceptr*, std::size_t*, CUmodule, const char*) { return kNotFound; }

CUresult cuFuncGetAttribute(int* value, int attribute, CUfunction function) {
  *value = attribute == kFunctionMaxThreadsPerBlock ? kMaxThreads
           : attribute == kFunctionMaxDynamicSharedBytes
               ? reinterpret_cast<FakeKernel*>(function)->dynamic_shared_bytes
               : 0;
  return kSuccess;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value) {
  if (attribute != kFunctionMaxDynamicSharedBytes || value > kMostSharedBytes) return kInvalidValue;
  reinterpret_cast<FakeKernel*>(function)->dynamic_shared_bytes = value;
  return kSuccess;
}

CUresult cuFuncGetParamInfo(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto& sizes = reinterpret_cast<FakeKernel*>(function)->parameters;
  if (index >= sizes.size()) return kInvalidValue;
  std::size_t end = 0;
  for (std::size_t before = 0; before <= index; ++before) {
    const std::size_t alignment = std::min<std::size_t>(sizes[before] & (~sizes[before] + 1), 16);
    *offset = (end + alignment - 1) / alignment * alignment;
    end = *offset + sizes[before];
  }
  *bytes = sizes[index];
  return kSuccess;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream handle, void** parameters, void**) {
  const std::uint64_t threads = std::uint64_t{block_x} * block_y * block_z;
  if (threads == 0 || threads > kMaxThreads || grid_x == 0 || grid_y == 0 || grid_z == 0)
    return kInvalidValue;
  if (static_cast<int>(shared_bytes) > reinterpret_cast<FakeKernel*>(function)->dynamic_shared_bytes)
    return kInvalidValue;
  NoteKernel(*reinterpret_cast<FakeKernel*>(function), parameters);
  return simulated::OnStream(
      handle, [&](simulated::Machine& machine, simulated::Timeline::Stream& stream) -> CUresult {
        machine.timeline.Perform(stream, simulated::Timeline::Fill(0), [] {});
        return kSuccess;
      });
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z,
                                   unsigned shared_bytes, CUstream stream, void** parameters) {
  return cuLaunchKernel(function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_bytes, stream,
                        parameters, nullptr);
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction, int block, std::size_t) {
  *blocks = 2048 / block;
  return kSuccess;
}

CUresult cuOccupancyMaxPotentialBlockSize(int* least_grid, int* block, CUfunction, std::size_t (*)(int),
                                          std::size_t, int limit) {
  *block = limit == 0 ? kMaxThreads : std::min(limit, kMaxThreads);
  *least_grid = 2;
  return kSuccess;
}

}  // namespace

void AddModuleCalls(DriverTable& table) {
#define STRIDELAB_REQUIRED(name, suffix, parameters) table.name = name;
#include "driver/module_functions.h"
}

}  // namespace stridelab::driver::recording

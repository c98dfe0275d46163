// Compiled code on a device, and its kernels.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/operation.h"
#include "core/wait.h"
#include "driver/types.h"

namespace stridelab::core {

class Device;
class Stream;
class Module;

struct Parameter {
  std::size_t offset;
  std::size_t bytes;
};

/** A grid of blocks of threads. */
struct LaunchShape {
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  /** Bytes of shared memory beside what the kernel declares. */
  unsigned shared_bytes;
  /** All blocks run at once and may wait for one another. */
  bool cooperative;
};

class Kernel {
 public:
  Kernel(std::shared_ptr<Module> module, driver::CUfunction handle, std::string name);

  Module& module() const { return *module_; }
  const std::string& name() const { return name_; }
  /** As the driver tells them; empty optional where it is too old to tell. */
  const std::optional<std::vector<Parameter>>& parameters() const { return parameters_; }
  int Attribute(driver::FunctionAttribute attribute) const;
  int BlocksPerMultiprocessor(int block, std::size_t shared_bytes);
  /** Threads a block for which most threads are resident, and the least number of blocks that fill the
   * device. */
  struct Suggestion {
    int block;
    int least_grid;
  };
  Suggestion SuggestBlock(std::size_t shared_bytes, int limit);

  /** `parameters` points to the value of each parameter. Returns the number of the operation on the stream.
   */
  std::uint64_t Launch(const std::shared_ptr<Stream>& stream, const LaunchShape& shape, void** parameters,
                       std::span<const Operand> operands, const InterruptFlag& interrupt);

 private:
  void AllowShared(std::size_t bytes);

  std::shared_ptr<Module> module_;
  driver::CUfunction handle_;
  std::string name_;
  std::optional<std::vector<Parameter>> parameters_;
  /** Beyond this many bytes the driver is asked how much dynamic shared memory a launch may have, and for
   * more. */
  std::size_t allowed_shared_ = 0;
};

/** Stays loaded until Unload, whatever JavaScript lets go of: launches and graphs may still run its code. */
class Module : public std::enable_shared_from_this<Module> {
 public:
  /** PTX text, a cubin or a fat binary. Throws kind `driver` with the driver's own log, and kind `argument`
   * for a device that runs no kernels. */
  static std::shared_ptr<Module> Load(Device& device, std::string_view image);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Device& device() const { return device_; }
  /** Throws kind `argument` where there is none of that name, kind `freed` once unloaded. */
  std::shared_ptr<Kernel> FindKernel(const std::string& name);
  struct Global {
    std::uint64_t pointer;
    std::size_t bytes;
  };
  Global FindGlobal(const std::string& name);
  /** Waits for the device, because its kernels may be running. Idempotent. */
  void Unload(const InterruptFlag& interrupt);
  void RequireLoaded() const;

 private:
  Module(Device& device, driver::CUmodule handle) : device_(device), handle_(handle) {}

  Device& device_;
  std::atomic<driver::CUmodule> handle_;
};

}  // namespace stridelab::core

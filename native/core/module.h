// Compiled code loaded on a device, and its kernels.
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

/** The launch configuration of a kernel. */
struct LaunchShape {
  std::array<unsigned, 3> grid;
  std::array<unsigned, 3> block;
  /** Dynamic shared memory of a block, in bytes. */
  unsigned shared_bytes;
  /** A cooperative launch: all blocks are resident at once and may synchronize with one another. */
  bool cooperative;
};

class Kernel {
 public:
  Kernel(std::shared_ptr<Module> module, driver::CUfunction handle, std::string name);

  Module& module() const { return *module_; }
  const std::string& name() const { return name_; }
  /** The parameters that the driver reports; nullopt if the driver is too old to report them. */
  const std::optional<std::vector<Parameter>>& parameters() const { return parameters_; }
  int Attribute(driver::FunctionAttribute attribute) const;
  int BlocksPerMultiprocessor(int block, std::size_t shared_bytes);
  /** The block size that gives maximum occupancy, and the minimum number of blocks that fills the device. */
  struct Suggestion {
    int block;
    int least_grid;
  };
  Suggestion SuggestBlock(std::size_t shared_bytes, int limit);

  /** Launches the kernel. `parameters` points to the value of each parameter. Returns the operation's number
   * on the stream. */
  std::uint64_t Launch(const std::shared_ptr<Stream>& stream, const LaunchShape& shape, void** parameters,
                       std::span<const Operand> operands, const InterruptFlag& interrupt);

 private:
  void AllowShared(std::size_t bytes);

  std::shared_ptr<Module> module_;
  driver::CUfunction handle_;
  std::string name_;
  std::optional<std::vector<Parameter>> parameters_;
  /** Bytes of dynamic shared memory that a launch is known to be allowed; for more, the driver's limit is
   * read and raised first. */
  std::size_t allowed_shared_ = 0;
};

/** A loaded module. Only Unload unloads it, never a finalizer: launches and graphs may still run its code. */
class Module : public std::enable_shared_from_this<Module> {
 public:
  /** Loads PTX text, a cubin or a fat binary. Throws kind `driver` with the driver's log, and kind `argument`
   * for a device that cannot run kernels. */
  static std::shared_ptr<Module> Load(Device& device, std::string_view image);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;

  Device& device() const { return device_; }
  /** Finds a kernel by name. Throws kind `argument` if there is none, kind `freed` once unloaded. */
  std::shared_ptr<Kernel> FindKernel(const std::string& name);
  struct Global {
    std::uint64_t pointer;
    std::size_t bytes;
  };
  Global FindGlobal(const std::string& name);
  /** Unloads the module after waiting for the device, which may still run its kernels. Idempotent. */
  void Unload(const InterruptFlag& interrupt);
  void RequireLoaded() const;

 private:
  Module(Device& device, driver::CUmodule handle) : device_(device), handle_(handle) {}

  Device& device_;
  std::atomic<driver::CUmodule> handle_;
};

}  // namespace stridelab::core

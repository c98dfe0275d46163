// Everything that talks to a device goes through this table. It has several fillings: libcuda, the simulated
// driver, and whatever a test puts in.
#pragma once

#include <string>

#include "driver/types.h"

namespace stridelab::driver {

/** Function pointers named as in the driver's reference. */
struct DriverTable {
  /** True where blocking calls return at once because time is virtual: waits need no polling and no sleep. */
  bool virtual_time = false;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration, where parentheses would mean something else.
#define STRIDELAB_REQUIRED(name, version, parameters) CUresult(*name) parameters = nullptr;
#define STRIDELAB_OPTIONAL STRIDELAB_REQUIRED
#include "driver/driver_functions.h"

  /** Null but on simulated devices, where it stands for a launch. */
  CUresult (*simulateWork)(CUstream stream, const SimulatedWork& work) = nullptr;
};

/** Name of a status as the driver gives it, for example CUDA_ERROR_OUT_OF_MEMORY. */
inline std::string StatusName(const DriverTable& table, CUresult status) {
  const char* name = nullptr;
  if (table.cuGetErrorName(status, &name) != kSuccess || name == nullptr)
    return "CUresult " + std::to_string(status);
  return name;
}

/** The driver's own sentence about a status, empty where it has none. */
inline std::string StatusText(const DriverTable& table, CUresult status) {
  const char* text = nullptr;
  if (table.cuGetErrorString(status, &text) != kSuccess || text == nullptr) return "";
  return text;
}

}  // namespace stridelab::driver

// The table of driver functions, through which all calls to a device go. libcuda, the simulated driver or a
// test fills it.
#pragma once

#include <string>

#include "driver/types.h"

namespace stridelab::driver {

/** Function pointers, named as in the reference of the CUDA driver API. */
struct DriverTable {
  /** True if time is virtual: blocking calls return immediately, so waits need no polling and no sleep. */
  bool virtual_time = false;

// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration, where parentheses would mean something else.
#define STRIDELAB_REQUIRED(name, suffix, parameters) CUresult(*name) parameters = nullptr;
#include "driver/driver_functions.h"

  /** Submits host code in place of a kernel launch; null except on simulated devices. */
  CUresult (*simulateWork)(CUstream stream, const SimulatedWork& work) = nullptr;
};

/** The name of a function of the table. */
template <auto kSlot>
inline constexpr const char* kCallName = "simulateWork";
#define STRIDELAB_REQUIRED(name, suffix, parameters) \
  template <>                                        \
  inline constexpr const char* kCallName<&DriverTable::name> = #name;
#include "driver/driver_functions.h"

/** Returns the driver's name of a status, for example CUDA_ERROR_OUT_OF_MEMORY. */
inline std::string StatusName(const DriverTable& table, CUresult status) {
  const char* name = nullptr;
  if (table.cuGetErrorName(status, &name) != kSuccess || name == nullptr)
    return "CUresult " + std::to_string(status);
  return name;
}

/** Returns the driver's description of a status; empty if it has none. */
inline std::string StatusText(const DriverTable& table, CUresult status) {
  const char* text = nullptr;
  if (table.cuGetErrorString(status, &text) != kSuccess || text == nullptr) return "";
  return text;
}

}  // namespace stridelab::driver

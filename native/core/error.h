// The exception type of the core, which the binding converts to a JavaScript error.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/driver_table.h"

namespace stridelab::core {

using driver::DriverTable;

enum class ErrorKind {
  kDriver,
  kLost,
  kUnavailable,
  kFreed,
  kBounds,
  kArgument,
  kInterrupted,
  kBuffer,
  kCollective
};

/** A failed call of the driver, cuBLASLt or NCCL, with the status that it returned. */
struct DriverFailure {
  std::string call;
  driver::CUresult status;
  std::string status_name;
};

class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  /** Kind `driver`, `lost` or `collective`. */
  Error(ErrorKind kind, const std::string& message, DriverFailure failure)
      : std::runtime_error(message), kind_(kind), failure_(std::move(failure)) {}
  /** Kind `unavailable`. */
  Error(const std::string& message, std::vector<std::string> tried)
      : std::runtime_error(message), kind_(ErrorKind::kUnavailable), tried_(std::move(tried)) {}

  ErrorKind kind() const { return kind_; }
  const std::optional<DriverFailure>& failure() const { return failure_; }
  const std::vector<std::string>& tried() const { return tried_; }

 private:
  ErrorKind kind_;
  std::optional<DriverFailure> failure_;
  std::vector<std::string> tried_;
};

/** True for a status after which every later call in the context fails too: the device is lost to the
 * process. */
bool IsSticky(driver::CUresult status);

/** Throws kind `lost` if `status` is sticky, else kind `driver`; `context` describes the request, for example
 * "8 bytes of device memory". */
[[noreturn]] void ThrowDriverError(const driver::DriverTable& table, driver::CUresult status,
                                   const char* call, const std::string& context);

/** Throws kind `driver` or `lost` unless `status` is success. */
inline void Check(const driver::DriverTable& table, driver::CUresult status, const char* call) {
  if (status != driver::kSuccess) ThrowDriverError(table, status, call, "");
}

/** Calls a function of the driver; throws kind `driver` or `lost` unless it succeeds. */
template <auto kSlot, typename... Arguments>
void CallDriver(const DriverTable& table, Arguments... arguments) {
  Check(table, (table.*kSlot)(arguments...), driver::kCallName<kSlot>);
}

/** Runs `release`, which frees a resource of a device, and ignores the loss of the device: its resources are
 * lost with it, so nothing is left to free (rule 103). */
template <typename Release>
void ReleaseUnlessLost(const Release& release) {
  try {
    release();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLost) throw;
  }
}

}  // namespace stridelab::core

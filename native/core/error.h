// The one exception type of the core. The binding turns it into the JavaScript error of the caller's choice.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "driver/driver_table.h"

namespace stridelab::core {

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

/** What a driver function answered, or one of NCCL. */
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

/** True for a status after which every later call of the context fails too: a device that is lost to the
 * process. */
bool IsSticky(driver::CUresult status);

/** Throws kind `driver` for `status`, kind `lost` where it is sticky; `context` says what was asked, for
 * example "8 bytes of device memory".
 */
[[noreturn]] void ThrowDriverError(const driver::DriverTable& table, driver::CUresult status,
                                   const char* call, const std::string& context);

/** Throws kind `driver` or `lost` unless `status` is success. */
inline void Check(const driver::DriverTable& table, driver::CUresult status, const char* call) {
  if (status != driver::kSuccess) ThrowDriverError(table, status, call, "");
}

/** Runs what gives something back to its device. One that is lost took it along: nothing is left to free, so that is no
 * error (rule 103). */
template <typename Release>
void ReleaseUnlessLost(const Release& release) {
  try {
    release();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::kLost) throw;
  }
}

}  // namespace stridelab::core

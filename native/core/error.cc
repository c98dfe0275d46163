#include "core/error.h"

#include <algorithm>
#include <array>

namespace stridelab::core {

bool IsSticky(driver::CUresult status) {
  // The errors after which the process must be terminated, according to the driver's reference: uncorrectable
  // ECC and NVLink errors, a destroyed context, and faults of a kernel that corrupt its context.
  constexpr std::array kSticky = {214, 220, 226, 700, 702, 709, 710, 714, 715, 716, 717, 718, 719};
  return std::find(kSticky.begin(), kSticky.end(), status) != kSticky.end();
}

void ThrowDriverError(const driver::DriverTable& table, driver::CUresult status, const char* call,
                      const std::string& context) {
  const std::string name = driver::StatusName(table, status);
  const std::string text = driver::StatusText(table, status);
  std::string message = std::string(call) + " failed with " + name + " (" + std::to_string(status) + ")";
  if (!text.empty()) message += ": " + text;
  if (!context.empty()) message += " (" + context + ")";
  const bool lost = IsSticky(status);
  if (lost) {
    message +=
        "; the device is lost to this process: the contents of its arrays are lost, and every later call "
        "fails until the process is restarted. The fault is in this call or in work submitted before it";
  }
  throw Error(lost ? ErrorKind::kLost : ErrorKind::kDriver, message, DriverFailure{call, status, name});
}

}  // namespace stridelab::core

#include "core/error.h"

namespace stridelab::core {

void ThrowDriverError(const driver::DriverTable& table, driver::CUresult status, const char* call,
                      const std::string& context) {
  const std::string name = driver::StatusName(table, status);
  const std::string text = driver::StatusText(table, status);
  std::string message = std::string(call) + " failed with " + name + " (" + std::to_string(status) + ")";
  if (!text.empty()) message += ": " + text;
  if (!context.empty()) message += " (" + context + ")";
  throw Error(message, DriverFailure{call, status, name});
}

}  // namespace stridelab::core

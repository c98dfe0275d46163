// Calls of driver functions on behalf of JavaScript.
#pragma once

#include <string>
#include <type_traits>

#include "binding/call.h"
#include "core/device.h"

namespace stridelab::binding {

/** Calls a function of the driver, which may lack it, in the context of the device. Throws on failure. */
template <typename... Parameters>
void CallDriver(core::Device& device, const char* name, const std::string& context,
                driver::CUresult (*function)(Parameters...), std::type_identity_t<Parameters>... arguments) {
  if (function == nullptr)
    core::ThrowDriverError(device.table(), driver::kNotSupported, name, "this driver has no such function");
  const auto scope = device.Enter();
  const driver::CUresult status = function(arguments...);
  if (status != driver::kSuccess) core::ThrowDriverError(device.table(), status, name, context);
}

template <typename Output, typename... Parameters>
Output GetFromDriver(core::Device& device, const char* name, const std::string& context,
                     driver::CUresult (*function)(Output*, Parameters...),
                     std::type_identity_t<Parameters>... arguments) {
  Output output{};
  CallDriver(device, name, context, function, &output, arguments...);
  return output;
}

/** Calls the function `call` of the device's driver. */
#define STRIDELAB_CALL(device, call, ...) \
  CallDriver(device, #call, std::string(), (device).table().call, __VA_ARGS__)
/** Calls a function whose first parameter is an output, and returns that. */
#define STRIDELAB_GET(device, call, ...) \
  GetFromDriver(device, #call, std::string(), (device).table().call, __VA_ARGS__)
/** Calls a function that allocates, and returns its output; the error reports how many bytes were requested.
 */
#define STRIDELAB_ALLOCATE(device, bytes, call, ...) \
  GetFromDriver(device, #call, std::to_string(bytes) + " bytes requested", (device).table().call, __VA_ARGS__)

/** The allocations of the environment; those that are left when it ends are freed then. */
inline core::OwnedAllocations& Read(Call& call, As<core::OwnedAllocations>) {
  return call.environment().releases()->allocations();
}
/** Returns the address of an allocation that the environment owns from now on. */
inline Address Noted(core::OwnedAllocations& allocations, core::Device& device, std::uint64_t pointer,
                     core::MemoryKind kind) {
  allocations.Note(device, pointer, kind);
  return {pointer};
}

}  // namespace stridelab::binding

// The log of the recording driver, and the text form of a call's arguments.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "driver/driver_table.h"

namespace stridelab::driver::recording {

/** The status that Fail injects for the call; success if the call is to be made. */
CUresult InjectedStatus(const char* call);
void Note(const char* call, const std::string& arguments, CUresult status);

std::string Number(std::uint64_t value);
std::string Handle(const char* kind, std::uint64_t value);

inline std::string Text(CUstream stream) { return Handle("stream", HandleValue(stream)); }
inline std::string Text(CUevent event) { return Handle("event", HandleValue(event)); }
inline std::string Text(CUcontext context) { return Handle("context", HandleValue(context)); }
inline std::string Text(CUgraph graph) { return Handle("graph", HandleValue(graph)); }
inline std::string Text(CUgraphExec graph) { return Handle("executable", HandleValue(graph)); }
inline std::string Text(CUmodule) { return "module"; }
inline std::string Text(CUfunction) { return "kernel"; }
inline std::string Text(void** parameters) { return parameters == nullptr ? "none" : "parameters"; }
inline std::string Text(CUmemoryPool) { return "pool"; }
inline std::string Text(const CUipcMemHandle&) { return "handle"; }
inline std::string Text(const SimulatedWork& work) { return work.name + (", " + Number(work.bytes)); }
inline std::string Text(const void* host) { return Number(reinterpret_cast<std::uintptr_t>(host)); }
inline std::string Text(void* host) { return Number(reinterpret_cast<std::uintptr_t>(host)); }

template <typename Value>
std::string Text(Value value) {
  if constexpr (std::is_pointer_v<Value>) {
    return Text(*value);
  } else if constexpr (std::is_floating_point_v<Value> || std::is_signed_v<Value>) {
    return std::to_string(value);
  } else {
    return Number(value);
  }
}

}  // namespace stridelab::driver::recording

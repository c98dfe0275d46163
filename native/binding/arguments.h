// Conversions of JavaScript arguments, all of which throw kind `argument` with the argument's name.
#pragma once

#include <napi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "core/parked_blocks.h"
#include "core/stream.h"
#include "core/use_list.h"
#include "generated/words.h"

namespace stridelab::binding {

/** A whole number from 0 to 2^53 - 1. */
std::size_t ToSize(Napi::Value value, const char* argument);
/** A whole number from `least` to `most`. */
std::int64_t ToInteger(Napi::Value value, const char* argument, std::int64_t least, std::int64_t most);
/** A bigint from 0n to 2n ** 64n - 1n. */
std::uint64_t ToAddress(Napi::Value value, const char* argument);
std::string ToText(Napi::Value value, const char* argument);
Napi::Array ToList(Napi::Value value, const char* argument);
Napi::Function ToFunction(Napi::Value value, const char* argument);
bool ToBoolean(Napi::Value value, const char* argument);
DriverKind ToDriverKind(Napi::Value value, const char* argument);
core::Access ToAccess(Napi::Value value, const char* argument);
core::MemoryKind ToMemoryKind(Napi::Value value, const char* argument);
const std::shared_ptr<core::Stream>& ToStream(Napi::Value value, const char* argument);

struct HostBytes {
  void* data;
  std::size_t bytes;
};
/** The memory of a typed array or DataView. */
HostBytes ToHostBytes(Napi::Value value, const char* argument);

Napi::Value FromAddress(Napi::Env env, std::uint64_t address);
inline const char* NameOf(DriverKind kind) { return kDriverKindNames[static_cast<int>(kind)]; }
inline const char* NameOf(MemoryKind kind) { return kMemoryKindNames[static_cast<int>(kind)]; }
inline const char* NameOf(Access access) { return kAccessNames[static_cast<int>(access)]; }

}  // namespace stridelab::binding

// Conversions from JavaScript values to C++. Every one throws kind `argument` with the argument's name.
#pragma once

#include <napi.h>

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/parked_blocks.h"
#include "core/use_list.h"
#include "driver/types.h"
#include "generated/words.h"

namespace stridelab::binding {

/** A value, and its name in error messages. */
struct Argument {
  Napi::Value value;
  const char* name;
  /** True if it is `this` of a method, whose class V8 has checked. */
  bool receiver = false;
};

/** Names the target type, without reference: `Convert(argument, As<core::Device>{})` returns a reference. */
template <typename T>
struct As {};

/** Throws kind `argument` with `message`. */
[[noreturn]] void Refuse(const std::string& message);
/** Throws "`argument` must be `expected`". */
[[noreturn]] void Refuse(const Argument& argument, const std::string& expected);

std::int64_t ToInteger(const Argument& argument, std::int64_t least, std::int64_t most);

/** An integer of type T from `kLeast` to `kMost`. */
template <typename T, std::int64_t kLeast, std::int64_t kMost>
struct Within {
  T value;
  operator T() const { return value; }
};
/** An address or a handle: a bigint from 0n to 2n ** 64n - 1n. */
struct Address {
  std::uint64_t value;
  operator std::uint64_t() const { return value; }
};

/** A value, or nothing for null; undefined is refused. */
template <typename T>
struct OrNull {
  std::optional<T> value{};
};

/** The names of an enumeration's members in JavaScript. */
template <typename Enum>
inline constexpr std::span<const char* const> kNamesOf{};
template <>
inline constexpr std::span<const char* const> kNamesOf<DriverKind>{kDriverKindNames};
template <>
inline constexpr std::span<const char* const> kNamesOf<Access>{kAccessNames};
template <>
inline constexpr std::span<const char* const> kNamesOf<MemoryKind>{kMemoryKindNames};
template <typename Enum>
concept Named = std::is_enum_v<Enum> && !kNamesOf<Enum>.empty();
std::size_t IndexOfName(const Argument& argument, std::span<const char* const> names);

inline Napi::Value Convert(const Argument& argument, As<Napi::Value>) { return argument.value; }
/** Converts an integer from 0 to 2^53 - 1. */
std::size_t Convert(const Argument& argument, As<std::size_t>);
Address Convert(const Argument& argument, As<Address>);
bool Convert(const Argument& argument, As<bool>);
double Convert(const Argument& argument, As<double>);
std::string Convert(const Argument& argument, As<std::string>);
Napi::Object Convert(const Argument& argument, As<Napi::Object>);
Napi::Array Convert(const Argument& argument, As<Napi::Array>);
Napi::Function Convert(const Argument& argument, As<Napi::Function>);
Napi::Float64Array Convert(const Argument& argument, As<Napi::Float64Array>);
/** Returns the memory of an Int32Array. */
std::span<std::int32_t> Convert(const Argument& argument, As<std::span<std::int32_t>>);
/** Returns the memory of a typed array or DataView. */
std::span<std::byte> Convert(const Argument& argument, As<std::span<std::byte>>);
inline std::span<const std::byte> Convert(const Argument& argument, As<std::span<const std::byte>>) {
  return Convert(argument, As<std::span<std::byte>>{});
}

template <typename T, std::int64_t kLeast, std::int64_t kMost>
Within<T, kLeast, kMost> Convert(const Argument& argument, As<Within<T, kLeast, kMost>>) {
  return {static_cast<T>(ToInteger(argument, kLeast, kMost))};
}
inline driver::CUmemoryPool Convert(const Argument& argument, As<driver::CUmemoryPool>) {
  return driver::HandleFrom<driver::CUmemoryPool>(Convert(argument, As<Address>{}));
}
inline int Convert(const Argument& argument, As<int>) {
  return static_cast<int>(ToInteger(argument, INT32_MIN, INT32_MAX));
}

template <Named Enum>
Enum Convert(const Argument& argument, As<Enum>) {
  return static_cast<Enum>(IndexOfName(argument, kNamesOf<Enum>));
}

template <typename T>
T* Convert(const Argument& argument, As<T*>) {
  return &Convert(argument, As<T>{});
}

/** Returns nothing for undefined: the argument was omitted. */
template <typename T>
std::optional<T> Convert(const Argument& argument, As<std::optional<T>>) {
  if (argument.value.IsUndefined()) return std::nullopt;
  return Convert(argument, As<T>{});
}

template <typename T>
OrNull<T> Convert(const Argument& argument, As<OrNull<T>>) {
  if (argument.value.IsNull()) return {};
  return {Convert(argument, As<T>{})};
}

template <typename T>
std::vector<T> Convert(const Argument& argument, As<std::vector<T>>) {
  const Napi::Array list = Convert(argument, As<Napi::Array>{});
  std::vector<T> converted;
  const std::uint32_t length = list.Length();
  converted.reserve(length);
  for (std::uint32_t index = 0; index < length; ++index)
    converted.push_back(Convert(Argument{list.Get(index), argument.name}, As<T>{}));
  return converted;
}

template <typename T>
decltype(auto) Option(const Napi::Object& options, const char* name) {
  return Convert(Argument{options.Get(name), name}, As<T>{});
}

/** Reads a driver handle that can be shared with other processes, from a typed array of its size. */
template <typename Handle>
  requires std::same_as<decltype(Handle::bytes), unsigned char[64]>
Handle Convert(const Argument& argument, As<Handle>) {
  const std::span<const std::byte> bytes = Convert(argument, As<std::span<std::byte>>{});
  Handle handle{};
  if (bytes.size() != sizeof(handle.bytes)) Refuse(std::string(argument.name) + " must have 64 bytes");
  std::copy(bytes.begin(), bytes.end(), reinterpret_cast<std::byte*>(handle.bytes));
  return handle;
}

}  // namespace stridelab::binding

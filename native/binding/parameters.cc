#include "binding/parameters.h"

#include <array>
#include <cmath>
#include <string_view>

namespace stridelab::binding {
namespace {

/** Returns the value as a typed array of that type. */
Napi::TypedArray ToTypedArray(const Argument& argument, napi_typedarray_type type, const char* expected) {
  if (!argument.value.IsTypedArray() || argument.value.As<Napi::TypedArray>().TypedArrayType() != type)
    Refuse(argument, expected);
  return argument.value.As<Napi::TypedArray>();
}

}  // namespace

void Refuse(const std::string& message) { throw core::Error(core::ErrorKind::kArgument, message); }

void Refuse(const Argument& argument, const std::string& expected) {
  Refuse(std::string(argument.name) + " must be " + expected);
}

std::int64_t ToInteger(const Argument& argument, std::int64_t least, std::int64_t most) {
  double number = NAN;
  // One call into the engine, which also checks the type, as in the conversions below.
  if (napi_get_value_double(argument.value.Env(), argument.value, &number) == napi_ok &&
      number == std::floor(number) && number >= static_cast<double>(least) &&
      number <= static_cast<double>(most))
    return static_cast<std::int64_t>(number);
  Refuse(argument, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

std::size_t IndexOfName(const Argument& argument, std::span<const char* const> names) {
  // The names fit the buffer, so one call into the engine suffices.
  std::array<char, 16> buffer{};
  std::size_t length = 0;
  const napi_status status =
      napi_get_value_string_utf8(argument.value.Env(), argument.value, buffer.data(), buffer.size(), &length);
  if (status == napi_ok) {
    const std::string_view name(buffer.data(), length);
    for (std::size_t index = 0; index < names.size(); ++index)
      if (name == names[index]) return index;
  }
  std::string expected = std::string("'") + names[0] + "'";
  for (std::size_t index = 1; index < names.size(); ++index)
    expected += std::string(index + 1 < names.size() ? ", '" : " or '") + names[index] + "'";
  Refuse(argument, expected);
}

std::size_t Convert(const Argument& argument, As<std::size_t>) {
  return static_cast<std::size_t>(ToInteger(argument, 0, (std::int64_t{1} << 53) - 1));
}

Address Convert(const Argument& argument, As<Address>) {
  bool lossless = false;
  std::uint64_t address = 0;
  if (napi_get_value_bigint_uint64(argument.value.Env(), argument.value, &address, &lossless) == napi_ok &&
      lossless)
    return {address};
  Refuse(argument, "a bigint from 0n to 2n ** 64n - 1n");
}

bool Convert(const Argument& argument, As<bool>) {
  bool truth = false;
  if (napi_get_value_bool(argument.value.Env(), argument.value, &truth) != napi_ok)
    Refuse(argument, "a boolean");
  return truth;
}

double Convert(const Argument& argument, As<double>) {
  double number = NAN;
  if (napi_get_value_double(argument.value.Env(), argument.value, &number) != napi_ok)
    Refuse(argument, "a number");
  return number;
}

std::string Convert(const Argument& argument, As<std::string>) {
  if (!argument.value.IsString()) Refuse(argument, "a string");
  return argument.value.As<Napi::String>();
}

Napi::Object Convert(const Argument& argument, As<Napi::Object>) {
  if (!argument.value.IsObject()) Refuse(argument, "an object");
  return argument.value.As<Napi::Object>();
}

Napi::Array Convert(const Argument& argument, As<Napi::Array>) {
  if (!argument.value.IsArray()) Refuse(argument, "an array");
  return argument.value.As<Napi::Array>();
}

Napi::Function Convert(const Argument& argument, As<Napi::Function>) {
  if (!argument.value.IsFunction()) Refuse(argument, "a function");
  return argument.value.As<Napi::Function>();
}

Napi::Float64Array Convert(const Argument& argument, As<Napi::Float64Array>) {
  return ToTypedArray(argument, napi_float64_array, "a Float64Array").As<Napi::Float64Array>();
}

std::span<std::int32_t> Convert(const Argument& argument, As<std::span<std::int32_t>>) {
  auto words = ToTypedArray(argument, napi_int32_array, "an Int32Array").As<Napi::Int32Array>();
  return {words.Data(), words.ElementLength()};
}

std::span<std::byte> Convert(const Argument& argument, As<std::span<std::byte>>) {
  if (argument.value.IsTypedArray()) {
    const auto view = argument.value.As<Napi::TypedArray>();
    void* data = nullptr;
    if (napi_get_typedarray_info(view.Env(), view, nullptr, nullptr, &data, nullptr, nullptr) == napi_ok)
      return {static_cast<std::byte*>(data), view.ByteLength()};
  }
  if (argument.value.IsDataView()) {
    const auto view = argument.value.As<Napi::DataView>();
    return {static_cast<std::byte*>(view.Data()), view.ByteLength()};
  }
  Refuse(argument, "a typed array or a DataView");
}

}  // namespace stridelab::binding

#include "binding/arguments.h"

#include <array>
#include <cmath>
#include <string>
#include <string_view>

#include "binding/stream_object.h"
#include "binding/tagged_object.h"

namespace stridelab::binding {
namespace {

[[noreturn]] void Refuse(const char* argument, const std::string& expected) {
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be " + expected);
}

/** The member of an enumeration whose name the value is, read in one call into the engine. */
template <typename Enum, std::size_t kCount>
Enum ToNamed(Napi::Value value, const char* argument, const char* const (&names)[kCount]) {
  std::array<char, 16> buffer{};
  std::size_t length = 0;
  if (napi_get_value_string_utf8(value.Env(), value, buffer.data(), buffer.size(), &length) == napi_ok) {
    const std::string_view name(buffer.data(), length);
    for (std::size_t index = 0; index < kCount; ++index)
      if (name == names[index]) return static_cast<Enum>(index);
  }
  std::string expected = std::string("'") + names[0] + "'";
  for (std::size_t index = 1; index < kCount; ++index)
    expected += std::string(index + 1 < kCount ? ", '" : " or '") + names[index] + "'";
  Refuse(argument, expected);
}

}  // namespace

std::int64_t ToInteger(Napi::Value value, const char* argument, std::int64_t least, std::int64_t most) {
  if (value.IsNumber()) {
    const double number = value.As<Napi::Number>().DoubleValue();
    if (number == std::floor(number) && number >= static_cast<double>(least) &&
        number <= static_cast<double>(most)) {
      return static_cast<std::int64_t>(number);
    }
  }
  Refuse(argument, "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
}

std::size_t ToSize(Napi::Value value, const char* argument) {
  constexpr std::int64_t kLargestSafeInteger = (std::int64_t{1} << 53) - 1;
  return static_cast<std::size_t>(ToInteger(value, argument, 0, kLargestSafeInteger));
}

std::uint64_t ToAddress(Napi::Value value, const char* argument) {
  if (value.IsBigInt()) {
    bool lossless = false;
    const std::uint64_t address = value.As<Napi::BigInt>().Uint64Value(&lossless);
    if (lossless) return address;
  }
  Refuse(argument, "a bigint from 0n to 2n ** 64n - 1n");
}

std::string ToText(Napi::Value value, const char* argument) {
  if (value.IsString()) return value.As<Napi::String>();
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be a string");
}

Napi::Array ToList(Napi::Value value, const char* argument) {
  if (value.IsArray()) return value.As<Napi::Array>();
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be an array");
}

Napi::Function ToFunction(Napi::Value value, const char* argument) {
  if (value.IsFunction()) return value.As<Napi::Function>();
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be a function");
}

bool ToBoolean(Napi::Value value, const char* argument) {
  if (!value.IsBoolean()) Refuse(argument, "a boolean");
  return value.As<Napi::Boolean>().Value();
}

DriverKind ToDriverKind(Napi::Value value, const char* argument) {
  return ToNamed<DriverKind>(value, argument, kDriverKindNames);
}

core::Access ToAccess(Napi::Value value, const char* argument) {
  return ToNamed<core::Access>(value, argument, kAccessNames);
}

core::MemoryKind ToMemoryKind(Napi::Value value, const char* argument) {
  return ToNamed<core::MemoryKind>(value, argument, kMemoryKindNames);
}

const std::shared_ptr<core::Stream>& ToStream(Napi::Value value, const char* argument) {
  return ToObject<StreamObject>(value, argument).native();
}

HostBytes ToHostBytes(Napi::Value value, const char* argument) {
  if (value.IsTypedArray()) {
    const auto view = value.As<Napi::TypedArray>();
    void* data = nullptr;
    const napi_status status =
        napi_get_typedarray_info(value.Env(), view, nullptr, nullptr, &data, nullptr, nullptr);
    if (status == napi_ok) return {data, view.ByteLength()};
  }
  if (value.IsDataView()) {
    const auto view = value.As<Napi::DataView>();
    return {view.Data(), view.ByteLength()};
  }
  Refuse(argument, "a typed array or a DataView");
}

Napi::Value FromAddress(Napi::Env env, std::uint64_t address) { return Napi::BigInt::New(env, address); }

}  // namespace stridelab::binding

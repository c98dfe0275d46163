#include "binding/arguments.h"

#include <array>
#include <cmath>
#include <string>

#include "binding/stream_object.h"
#include "binding/tagged_object.h"

namespace stridelab::binding {
namespace {

[[noreturn]] void Refuse(const char* argument, const std::string& expected) {
  throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be " + expected);
}

/** Up to 15 bytes of a string, in one call into the engine; empty for anything but a string. */
std::string ShortWord(Napi::Value value) {
  std::array<char, 16> buffer{};
  std::size_t length = 0;
  const napi_status status =
      napi_get_value_string_utf8(value.Env(), value, buffer.data(), buffer.size(), &length);
  return status == napi_ok ? std::string(buffer.data(), length) : std::string();
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

core::Access ToAccess(Napi::Value value, const char* argument) {
  const std::string name = ShortWord(value);
  if (name == "read") return core::Access::kRead;
  if (name == "write") return core::Access::kWrite;
  Refuse(argument, "'read' or 'write'");
}

core::MemoryKind ToMemoryKind(Napi::Value value, const char* argument) {
  const std::string name = ShortWord(value);
  if (name == "device") return core::MemoryKind::kDevice;
  if (name == "pinned") return core::MemoryKind::kPinned;
  if (name == "managed") return core::MemoryKind::kManaged;
  Refuse(argument, "'device', 'pinned' or 'managed'");
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

const char* NameOf(core::MemoryKind kind) {
  switch (kind) {
    case core::MemoryKind::kDevice:
      return "device";
    case core::MemoryKind::kPinned:
      return "pinned";
    case core::MemoryKind::kManaged:
      return "managed";
  }
  return "";
}

const char* NameOf(core::Access access) { return access == core::Access::kRead ? "read" : "write"; }

}  // namespace stridelab::binding

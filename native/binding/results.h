// Conversions from C++ values to JavaScript.
#pragma once

#include <napi.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "binding/environment.h"
#include "binding/parameters.h"
#include "driver/types.h"

namespace stridelab::binding {

/** Napi's environment as a type of this namespace, so that templates find every ToValue of it. */
struct Env : Napi::Env {
  Env(napi_env env) : Napi::Env(env) {}
};

inline napi_value ToValue(Env, napi_value value) { return value; }
inline napi_value ToValue(Env env, bool truth) { return Napi::Boolean::New(env, truth); }
inline napi_value ToValue(Env env, const char* text) { return Napi::String::New(env, text); }
inline napi_value ToValue(Env env, const std::string& text) { return Napi::String::New(env, text); }
inline napi_value ToValue(Env env, Address address) { return Napi::BigInt::New(env, address.value); }
inline napi_value ToValue(Env env, core::Device& device) { return Environment::Of(env).Wrap(device); }
/** Wraps a stream; null if there is none. */
inline napi_value ToValue(Env env, const std::shared_ptr<core::Stream>& stream) {
  if (stream == nullptr) return env.Null();
  return Environment::Of(env).Wrap(stream);
}

template <typename T>
  requires std::is_arithmetic_v<T>
napi_value ToValue(Env env, T number) {
  return Napi::Number::New(env, static_cast<double>(number));
}

template <Named Enum>
napi_value ToValue(Env env, Enum member) {
  return Napi::String::New(env, kNamesOf<Enum>[static_cast<std::size_t>(member)]);
}

/** A handle of the driver. */
template <typename Handle>
  requires std::is_class_v<Handle>
napi_value ToValue(Env env, Handle* handle) {
  return ToValue(env, Address{driver::HandleValue(handle)});
}

/** A driver handle that can be shared with other processes. */
template <typename Handle>
  requires std::same_as<decltype(Handle::bytes), unsigned char[64]>
napi_value ToValue(Env env, const Handle& handle) {
  Napi::Uint8Array bytes = Napi::Uint8Array::New(env, sizeof(handle.bytes));
  std::copy(std::begin(handle.bytes), std::end(handle.bytes), bytes.Data());
  return bytes;
}

template <typename T>
napi_value ToValue(Env env, const std::optional<T>& value) {
  return value ? ToValue(env, *value) : static_cast<napi_value>(env.Null());
}

template <typename T>
napi_value ToValue(Env env, const std::vector<T>& values) {
  Napi::Array list = Napi::Array::New(env, values.size());
  for (std::size_t index = 0; index < values.size(); ++index)
    list.Set(static_cast<std::uint32_t>(index), ToValue(env, values[index]));
  return list;
}

/** Makes a Float64Array or BigUint64Array. */
template <typename Array, typename T>
Array ColumnOf(Napi::Env env, const std::vector<T>& numbers) {
  Array column = Array::New(env, numbers.size());
  std::copy(numbers.begin(), numbers.end(), column.Data());
  return column;
}

class Fields {
 public:
  explicit Fields(Env env) : object_(Napi::Object::New(env)) {}

  template <typename T>
  Fields& Set(const char* name, T&& value) {
    object_.Set(name, ToValue(Env(object_.Env()), std::forward<T>(value)));
    return *this;
  }
  operator napi_value() const { return object_; }

 private:
  Napi::Object object_;
};
inline napi_value ToValue(Env, const Fields& fields) { return fields; }

}  // namespace stridelab::binding

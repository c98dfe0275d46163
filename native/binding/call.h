// Calls of C++ functions from JavaScript: a table entry names the function and its JavaScript parameters, and
// the types of the C++ parameters choose the conversions (parameters.h, results.h).
#pragma once

#include <napi.h>

#include <cstddef>
#include <functional>
#include <optional>
#include <type_traits>

#include "binding/entry.h"
#include "binding/environment.h"
#include "binding/parameters.h"
#include "binding/results.h"

namespace stridelab::binding {

/** A call whose arguments are read in order. */
class Call {
 public:
  Call(napi_env env, napi_callback_info info) : info_(env, info), at_this_(function().method) {}

  Env env() const { return {info_.Env()}; }
  Environment& environment() const { return Environment::Of(info_.Env()); }
  const Napi::CallbackInfo& info() const { return info_; }
  const Function& function() const { return *static_cast<const Function*>(info_.Data()); }
  /** Returns the next argument; for a method `this` comes first. */
  Argument Next() {
    if (std::exchange(at_this_, false)) return {info_.This(), "this", true};
    const std::size_t at = next_++;
    return {info_[at], function().parameters[at]};
  }
  /** Skips the next argument if the caller omitted it, which costs less than to ask whether it is undefined. */
  bool SkipOmitted() {
    if (at_this_ || next_ < info_.Length()) return false;
    ++next_;
    return true;
  }
  std::size_t taken() const { return next_; }

 private:
  const Napi::CallbackInfo info_;
  std::size_t next_ = 0;
  bool at_this_;
};

/** The arguments that remain after the preceding parameters. */
struct Rest {
  const Napi::CallbackInfo& info;
  std::size_t first;

  std::size_t size() const { return info.Length() > first ? info.Length() - first : 0; }
  Napi::Value operator[](std::size_t index) const { return info[first + index]; }
};

// Reads a C++ parameter of type T: converts an argument, or takes the value from the call itself.
template <typename T>
decltype(auto) Read(Call& call, As<T> type) {
  return Convert(call.Next(), type);
}
template <typename T>
std::optional<T> Read(Call& call, As<std::optional<T>> type) {
  if (call.SkipOmitted()) return std::nullopt;
  return Convert(call.Next(), type);
}
inline const Napi::CallbackInfo& Read(Call& call, As<Napi::CallbackInfo>) { return call.info(); }
inline Env Read(Call& call, As<Env>) { return call.env(); }
inline Environment& Read(Call& call, As<Environment>) { return call.environment(); }
inline ReleaseTable& Read(Call& call, As<ReleaseTable>) { return *call.environment().releases(); }
inline core::InterruptFlag Read(Call& call, As<core::InterruptFlag>) {
  return call.environment().interrupt();
}
inline Rest Read(Call& call, As<Rest>) { return {call.info(), call.taken()}; }

/** Makes the call in its constructor: only a braced list guarantees that arguments are read left to right. */
template <auto kFunction, typename Result, typename... Parameters>
struct Invocation {
  napi_value value = nullptr;

  explicit Invocation(Env env, Parameters... parameters) {
    if constexpr (std::is_void_v<Result>) {
      std::invoke(kFunction, static_cast<Parameters&&>(parameters)...);
    } else {
      value = ToValue(env, std::invoke(kFunction, static_cast<Parameters&&>(parameters)...));
    }
  }
};

template <typename Result, typename... Parameters>
struct Signature {
  template <auto kFunction>
  static napi_value Run(Call& call) {
    return Invocation<kFunction, Result, Parameters...>{call.env(),
                                                        Read(call, As<std::remove_cvref_t<Parameters>>{})...}
        .value;
  }
};

template <typename Result, typename... Parameters>
Signature<Result, Parameters...> SignatureOf(Result (*)(Parameters...));
template <typename Result, typename Class, typename... Parameters>
Signature<Result, Class&, Parameters...> SignatureOf(Result (Class::*)(Parameters...));
template <typename Result, typename Class, typename... Parameters>
Signature<Result, const Class&, Parameters...> SignatureOf(Result (Class::*)(Parameters...) const);

template <auto kFunction>
inline constexpr Body kBodyOf = &decltype(SignatureOf(kFunction))::template Run<kFunction>;

/** Makes a table entry: the function's name in JavaScript, then those of its parameters. */
template <auto kFunction, Frame kFrame = nullptr, typename... Names>
constexpr Function Bind(const char* name, Names... parameters) {
  return {name, kBodyOf<kFunction>, {parameters...}, kFrame};
}

/** Makes a method's entry: for a member of the core's class, or a function whose first parameter is `this`.
 */
template <auto kFunction, Frame kFrame = nullptr, typename... Names>
constexpr Function Method(const char* name, Names... parameters) {
  return {name, kBodyOf<kFunction>, {parameters...}, kFrame, true};
}

template <auto kFunction>
constexpr Function Getter(const char* name) {
  return {name, kBodyOf<kFunction>, {}, nullptr, true, true};
}

}  // namespace stridelab::binding

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "core/wait_log.h"

namespace stridelab::binding {
namespace {

Napi::Value Start(const Napi::CallbackInfo& info) {
  core::wait_log::Start();
  return info.Env().Undefined();
}

Napi::Value Stop(const Napi::CallbackInfo& info) {
  core::wait_log::Stop();
  return info.Env().Undefined();
}

Napi::Value Now(const Napi::CallbackInfo& info) {
  return Napi::Number::New(info.Env(), core::wait_log::Now());
}

/** Four numbers a wait, in the order of `WAIT_FIELDS` in src/recording/exchanges/waits.ts. */
Napi::Value Read(const Napi::CallbackInfo& info) {
  const auto after = ToInteger(info[0], "after", 0, std::numeric_limits<std::int64_t>::max());
  std::vector<double> numbers;
  for (const auto& entry : core::wait_log::Read(static_cast<std::uint64_t>(after))) {
    numbers.insert(numbers.end(), {static_cast<double>(entry.number), entry.time,
                                   static_cast<double>(entry.waiter), static_cast<double>(entry.waited)});
  }
  auto columns = Napi::Float64Array::New(info.Env(), numbers.size());
  std::copy(numbers.begin(), numbers.end(), columns.Data());
  return columns;
}

}  // namespace

Napi::Object DefineWaits(Napi::Env env) {
  Napi::Object waits = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    waits.Set(name, Entry<Body>(env, name));
  };
  add.operator()<Start>("start");
  add.operator()<Stop>("stop");
  add.operator()<Now>("now");
  add.operator()<Read>("read");
  return waits;
}

}  // namespace stridelab::binding

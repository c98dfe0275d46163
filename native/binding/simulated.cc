#include <string>

#include "binding/entry.h"
#include "binding/parts.h"
#include "core/error.h"
#include "driver/simulated/machine.h"

namespace stridelab::binding {
namespace {

using driver::simulated::Schedule;

Napi::Value GetSchedule(const Napi::CallbackInfo& info) {
  const bool eager = driver::simulated::CurrentSchedule() == Schedule::kEager;
  return Napi::String::New(info.Env(), eager ? "eager" : "hazard");
}

Napi::Value SetSchedule(const Napi::CallbackInfo& info) {
  const std::string name = info[0].IsString() ? info[0].As<Napi::String>().Utf8Value() : "";
  if (name != "eager" && name != "hazard")
    throw core::Error(core::ErrorKind::kArgument, "schedule must be 'eager' or 'hazard'");
  driver::simulated::SetSchedule(name == "eager" ? Schedule::kEager : Schedule::kHazard);
  return info.Env().Undefined();
}

}  // namespace

Napi::Object DefineSimulated(Napi::Env env) {
  // What is held may refer to memory of this environment, which goes with it.
  env.AddCleanupHook([] { driver::simulated::RunHeldWork(); });
  Napi::Object simulated = Napi::Object::New(env);
  simulated.Set("schedule", Entry<GetSchedule>(env, "schedule"));
  simulated.Set("setSchedule", Entry<SetSchedule>(env, "setSchedule"));
  return simulated;
}

}  // namespace stridelab::binding

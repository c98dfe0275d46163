#include "binding/recording.h"

#include <climits>

#include "binding/arguments.h"
#include "binding/errors.h"
#include "driver/recording/recording_driver.h"

namespace stridelab::binding {
namespace {

Napi::Value Log(const Napi::CallbackInfo& info) {
  const auto log = driver::recording::Log();
  Napi::Array lines = Napi::Array::New(info.Env(), log.size());
  for (std::uint32_t index = 0; index < log.size(); ++index) lines.Set(index, log[index]);
  return lines;
}

Napi::Value Clear(const Napi::CallbackInfo& info) {
  driver::recording::Clear();
  return info.Env().Undefined();
}

Napi::Value Fail(const Napi::CallbackInfo& info) {
  return Guarded(info.Env(), [&] {
    if (!info[0].IsString()) throw core::Error(core::ErrorKind::kArgument, "call must be a string");
    const auto status = static_cast<driver::CUresult>(ToInteger(info[1], "status", 0, INT_MAX));
    const auto times = static_cast<int>(ToInteger(info[2], "times", -1, INT_MAX));
    driver::recording::Fail(info[0].As<Napi::String>(), status, times);
    return info.Env().Undefined();
  });
}

Napi::Value Reset(const Napi::CallbackInfo& info) {
  driver::recording::Reset();
  return info.Env().Undefined();
}

}  // namespace

Napi::Object DefineRecording(Napi::Env env) {
  Napi::Object recording = Napi::Object::New(env);
  recording.Set("log", Napi::Function::New<Log>(env, "log"));
  recording.Set("clear", Napi::Function::New<Clear>(env, "clear"));
  recording.Set("fail", Napi::Function::New<Fail>(env, "fail"));
  recording.Set("reset", Napi::Function::New<Reset>(env, "reset"));
  return recording;
}

}  // namespace stridelab::binding

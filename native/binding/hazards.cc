#include "binding/hazards.h"

#include <string>
#include <utility>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/environment.h"
#include "core/error.h"

namespace stridelab::binding {
namespace {

Napi::Object AccessObject(Napi::Env env, const hazards::Access& access) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("access", access.write ? "write" : "read");
  object.Set("streamHandle", FromAddress(env, access.stream));
  object.Set("streamId", access.stream_id);
  object.Set("sequence", static_cast<double>(access.sequence));
  object.Set("operation", access.operation);
  object.Set("captured", access.captured);
  object.Set("stack", access.site == nullptr ? std::string() : *access.site);
  return object;
}

Napi::Array ReportObjects(Napi::Env env, const std::vector<hazards::Report>& reports) {
  Napi::Array list = Napi::Array::New(env, reports.size());
  for (std::uint32_t index = 0; index < reports.size(); ++index) {
    const hazards::Report& report = reports[index];
    Napi::Object object = Napi::Object::New(env);
    object.Set("pointer", FromAddress(env, report.start));
    object.Set("bytes", static_cast<double>(report.bytes));
    object.Set("first", AccessObject(env, *report.first));
    object.Set("second", AccessObject(env, *report.second));
    list.Set(index, object);
  }
  return list;
}

/** Asks JavaScript, where a native call was made from it. */
hazards::Site StackOfCaller() {
  const napi_env raw = HazardScope::Current();
  if (raw == nullptr) return nullptr;
  const Napi::Env env(raw);
  const Napi::HandleScope scope(env);
  const Napi::FunctionReference& stack = Environment::Of(env).hazard_stack();
  if (stack.IsEmpty()) return nullptr;
  try {
    const Napi::Value text = stack.Call({});
    if (text.IsString()) return std::make_shared<const std::string>(text.As<Napi::String>().Utf8Value());
  } catch (const Napi::Error&) {
    return nullptr;  // A stack that cannot be had costs the report its stack, not the program its operation.
  }
  return nullptr;
}

Napi::Value Listen(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction() || !info[1].IsFunction())
    throw core::Error(core::ErrorKind::kArgument, "stack and deliver must be functions");
  Environment::Of(info.Env()).SetHazardListener(info[0].As<Napi::Function>(), info[1].As<Napi::Function>());
  hazards::SetSiteSource(StackOfCaller);
  return info.Env().Undefined();
}

Napi::Value Take(const Napi::CallbackInfo& info) { return ReportObjects(info.Env(), hazards::Take()); }

Napi::Value Clear(const Napi::CallbackInfo& info) {
  hazards::Clear();
  return info.Env().Undefined();
}

}  // namespace

void DeliverHazards(Napi::Env env) {
  const Napi::FunctionReference& deliver = Environment::Of(env).hazard_deliver();
  if (deliver.IsEmpty()) return;  // What waits is for `take`.
  deliver.Call({ReportObjects(env, hazards::Take())});
}

Napi::Object DefineHazards(Napi::Env env) {
  Napi::Object object = Napi::Object::New(env);
  object.Set("listen", Entry<Listen>(env, "listen"));
  object.Set("take", Entry<Take>(env, "take"));
  object.Set("clear", Entry<Clear>(env, "clear"));
  return object;
}

}  // namespace stridelab::binding

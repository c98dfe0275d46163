#include "binding/hazards.h"

#include "binding/call.h"
#include "binding/parts.h"

namespace stridelab::binding {
namespace {

Fields FieldsOf(Env env, const hazards::Access& access) {
  return Fields(env)
      .Set("access", access.write ? "write" : "read")
      .Set("streamHandle", Address{access.stream})
      .Set("streamId", access.stream_id)
      .Set("sequence", access.sequence)
      .Set("operation", access.operation)
      .Set("captured", access.captured)
      .Set("stack", access.site == nullptr ? std::string() : *access.site);
}

/** The reports that nobody took yet. */
std::vector<Fields> Take(Env env) {
  std::vector<Fields> reports;
  for (const hazards::Report& report : hazards::Take()) {
    reports.push_back(Fields(env)
                          .Set("pointer", Address{report.start})
                          .Set("bytes", report.bytes)
                          .Set("first", FieldsOf(env, *report.first))
                          .Set("second", FieldsOf(env, *report.second)));
  }
  return reports;
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

void Listen(Environment& environment, const Napi::Function& stack, const Napi::Function& deliver) {
  environment.SetHazardListener(stack, deliver);
  hazards::SetSiteSource(StackOfCaller);
}

constexpr Function kTable[] = {
    Bind<Listen>("listen", "stack", "deliver"),
    Bind<Take>("take"),
    Bind<hazards::Clear>("clear"),
};

}  // namespace

const Functions kHazardCalls = kTable;

void DeliverHazards(Napi::Env env) {
  const Napi::FunctionReference& deliver = Environment::Of(env).hazard_deliver();
  if (deliver.IsEmpty()) return;  // The reports wait for `take`.
  deliver.Call({ToValue(Env(env), Take(Env(env)))});
}

}  // namespace stridelab::binding

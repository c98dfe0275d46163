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

/** Takes the reports that were not delivered yet. */
std::vector<Fields> TakeReports(Env env) {
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

/** Asks JavaScript for its stack, if JavaScript made the native call. */
hazards::Site StackOfCaller() {
  const napi_env raw = HazardScope::Current();
  if (raw == nullptr) return nullptr;
  const Napi::Env env(raw);
  const Napi::HandleScope scope(env);
  const Napi::FunctionReference& stack = Environment::Of(env).hooks().hazard_stack;
  if (stack.IsEmpty()) return nullptr;
  try {
    const Napi::Value text = CallJavaScript(stack.Value());
    if (text.IsString()) return std::make_shared<const std::string>(text.As<Napi::String>().Utf8Value());
  } catch (const Napi::Error&) {
    return nullptr;  // If the stack is unavailable, only the report lacks it; the operation succeeds.
  }
  return nullptr;
}

void ListenForReports(Environment& environment, const Napi::Function& stack, const Napi::Function& deliver) {
  environment.hooks().hazard_stack = Napi::Persistent(stack);
  environment.hooks().hazard_deliver = Napi::Persistent(deliver);
  hazards::SetSiteSource(StackOfCaller);
}

constexpr Function kHazardsTable[] = {
    Bind<ListenForReports>("listen", "stack", "deliver"),
    Bind<TakeReports>("take"),
    Bind<hazards::Clear>("clear"),
};

}  // namespace

const Functions kHazardCalls = kHazardsTable;

void DeliverHazards(Napi::Env env) {
  const Napi::FunctionReference& deliver = Environment::Of(env).hooks().hazard_deliver;
  if (deliver.IsEmpty()) return;  // The reports stay queued for `take`.
  CallJavaScript(deliver.Value(), {ToValue(Env(env), TakeReports(Env(env)))});
}

}  // namespace stridelab::binding

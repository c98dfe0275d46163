#include "binding/entry.h"

#include "binding/object.h"

namespace stridelab::binding {

napi_value Enter(napi_env env, napi_callback_info info) noexcept {
  try {
    return WatchHazards(env, [&]() -> napi_value {
      Call call(env, info);
      const Function& function = call.function();
      return function.frame == nullptr ? function.body(call) : function.frame(call, function.body);
    });
  } catch (...) {
    ThrowIntoJavaScript(env);
    return nullptr;
  }
}

Napi::Object DefineFunctions(Napi::Env env, Functions functions) {
  Napi::Object object = Napi::Object::New(env);
  for (const Function& function : functions) {
    napi_value made = nullptr;
    Require(env, napi_create_function(env, function.name, NAPI_AUTO_LENGTH, Enter,
                                      const_cast<Function*>(&function), &made));
    object.Set(function.name, made);
  }
  return object;
}

napi_property_descriptor DescriptorOf(const Function& method) {
  napi_property_descriptor descriptor{};
  descriptor.utf8name = method.name;
  descriptor.method = Enter;
  descriptor.attributes = method.getter ? napi_configurable : napi_default;
  descriptor.data = const_cast<Function*>(&method);
  return descriptor;
}

void TurnIntoGetters(Napi::Function constructor, Functions methods) {
  const Napi::Env env = constructor.Env();
  const auto prototype = constructor.Get("prototype").As<Napi::Object>();
  const auto define =
      env.Global().Get("Object").As<Napi::Object>().Get("defineProperty").As<Napi::Function>();
  for (const Function& method : methods) {
    if (!method.getter) continue;
    Napi::Object getter = Napi::Object::New(env);
    getter.Set("get", prototype.Get(method.name));
    getter.Set("configurable", false);
    define.Call({prototype, Napi::String::New(env, method.name), getter});
  }
}

}  // namespace stridelab::binding

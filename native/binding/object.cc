#include "binding/object.h"

namespace stridelab::binding {

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

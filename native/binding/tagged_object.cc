#include "binding/tagged_object.h"

namespace stridelab::binding {

void TurnIntoGetters(Napi::Function constructor) {
  const Napi::Env env = constructor.Env();
  const auto prototype = constructor.Get("prototype").As<Napi::Object>();
  const auto object = env.Global().Get("Object").As<Napi::Object>();
  const auto describe = object.Get("getOwnPropertyDescriptor").As<Napi::Function>();
  const auto define = object.Get("defineProperty").As<Napi::Function>();
  const auto names =
      object.Get("getOwnPropertyNames").As<Napi::Function>().Call({prototype}).As<Napi::Array>();
  for (std::uint32_t index = 0; index < names.Length(); ++index) {
    const Napi::Value name = names.Get(index);
    const auto method = describe.Call({prototype, name}).As<Napi::Object>();
    const bool marked = method.Get("configurable").ToBoolean() && !method.Get("writable").ToBoolean();
    if (!marked) continue;
    Napi::Object getter = Napi::Object::New(env);
    getter.Set("get", method.Get("value"));
    getter.Set("configurable", false);
    define.Call({prototype, name, getter});
  }
}

}  // namespace stridelab::binding

#include "binding/entry.h"

#include "binding/call.h"

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
    if (napi_create_function(env, function.name, NAPI_AUTO_LENGTH, Enter, const_cast<Function*>(&function),
                             &made) != napi_ok)
      throw Napi::Error::New(env);
    object.Set(function.name, made);
  }
  return object;
}

}  // namespace stridelab::binding

#include "binding/program_object.h"

#include "binding/environment.h"
#include "binding/errors.h"

namespace stridelab::binding {

Napi::Function ProgramObject::Define(Napi::Env env) { return DefineClass(env, kName, {}); }

ProgramObject::ProgramObject(const Napi::CallbackInfo& info) : ObjectWrap(info) {
  Guarded(info.Env(), [&] {
    const void* native = Environment::Of(info.Env()).TakeHandedOver();
    program_ = *static_cast<const std::shared_ptr<const compute::Program>*>(native);
    info.This().As<Napi::Object>().TypeTag(&kTag);
  });
}

}  // namespace stridelab::binding

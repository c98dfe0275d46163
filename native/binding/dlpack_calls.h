// `dlpack` of NativeBinding: capsules, and the tensors inside them.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineDlpack(Napi::Env env);

}  // namespace stridelab::binding

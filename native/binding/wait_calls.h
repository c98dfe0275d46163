// NativeWaits: who was made to wait for whom.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineWaits(Napi::Env env);

}  // namespace stridelab::binding

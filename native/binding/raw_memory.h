// NativeMemory: the driver's memory calls for memory managers.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineRawMemory(Napi::Env env);

}  // namespace stridelab::binding

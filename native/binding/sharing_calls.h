// NativeSharing: the driver's calls for memory and events that several processes use.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineSharing(Napi::Env env);

}  // namespace stridelab::binding

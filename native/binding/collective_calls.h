// NativeCollectives.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineCollectives(Napi::Env env);

}  // namespace stridelab::binding

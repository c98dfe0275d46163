// NativeCublas.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineCublas(Napi::Env env);

}  // namespace stridelab::binding

// NativeTrace: starting, stopping and reading the trace.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineTrace(Napi::Env env);

}  // namespace stridelab::binding

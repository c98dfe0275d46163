// NativeLinks: connections to processes that this one started.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineLinks(Napi::Env env);

}  // namespace stridelab::binding

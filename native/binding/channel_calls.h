// NativeChannels: messages and open files between processes.
#pragma once

#include <napi.h>

namespace stridelab::binding {

Napi::Object DefineChannels(Napi::Env env);

}  // namespace stridelab::binding

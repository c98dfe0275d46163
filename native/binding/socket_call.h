// The frame of calls that use sockets: what the system refuses there is an error of kind `buffer`.
#pragma once

#include <napi.h>

#include "binding/errors.h"
#include "core/error.h"
#include "ipc/socket.h"

namespace stridelab::binding {

template <Napi::Value (*Body)(const Napi::CallbackInfo&)>
Napi::Value SocketCall(const Napi::CallbackInfo& info) {
  try {
    return Body(info);
  } catch (const ipc::SocketError& error) {
    throw core::Error(core::ErrorKind::kBuffer, error.what());
  }
}

}  // namespace stridelab::binding

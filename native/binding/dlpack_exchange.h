// The exchange table of stridelab.h (rules 173 to 177).
#pragma once

#include <napi.h>

namespace stridelab::binding {

/** Functions of NativeDlpack. */
Napi::Value ExchangeTable(const Napi::CallbackInfo& info);
Napi::Value RecordArray(const Napi::CallbackInfo& info);
Napi::Value ForgetArray(const Napi::CallbackInfo& info);

}  // namespace stridelab::binding

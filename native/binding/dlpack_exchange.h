// The exchange table of stridelab.h (rules 173 to 177), and the records by which it finds arrays.
#pragma once

#include <napi.h>

#include <string>

#include "binding/call.h"
#include "core/storage.h"

namespace stridelab::binding {

napi_value ExchangeTable(Env env);
void RecordArray(Env env, Environment& environment, const Napi::Value& array,
                 const std::shared_ptr<core::Storage>& storage, Within<std::int64_t, 1, INT32_MAX> itemsize,
                 const OrNull<std::string>& typestr);
void ForgetArray(const Napi::Value& array);

}  // namespace stridelab::binding

// Conversions between arrays and the StridelabArray of stridelab.h.
#pragma once

#include <napi.h>

#include "include/stridelab.h"

namespace stridelab::binding {

/** The last two functions of the exchange table. */
int ArrayFromValue(napi_env env, napi_value value, StridelabArray* out);
int ArrayToValue(napi_env env, napi_value type, StridelabArray* array, napi_value* out);

}  // namespace stridelab::binding

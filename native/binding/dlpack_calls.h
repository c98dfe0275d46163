// `dlpack` of NativeBinding: capsules, and the tensors inside them.
#pragma once

#include <napi.h>

#include "dlpack/owned_tensor.h"

namespace stridelab::binding {

Napi::Object DefineDlpack(Napi::Env env);

/** A NativeStorage for the storage of a tensor that this addon exported, null for any other; so uses stay in
 * one list. */
Napi::Value StorageOfOwn(Napi::Env env, const dlpack::OwnedTensor& tensor);

}  // namespace stridelab::binding

// What the DLPack calls of one environment share.
#pragma once

#include <napi.h>

#include "binding/dlpack_fields.h"
#include "dlpack/inspect.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::binding {

struct DlpackState {
  explicit DlpackState(Napi::Env env) : fields(env) {}

  DlpackFields fields;
  /** Between `take` and `adoptTaken` or `dropTaken`. */
  dlpack::OwnedTensor taken;
  dlpack::Inspected inspected{};
};

/** Every function of `dlpack` has the state as its data. */
inline DlpackState& StateOf(const Napi::CallbackInfo& info) {
  return *static_cast<DlpackState*>(info.Data());
}

}  // namespace stridelab::binding

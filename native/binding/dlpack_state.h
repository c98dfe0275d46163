// The state that DLPack calls keep from one call to the next.
#pragma once

#include <napi.h>

#include "binding/call.h"
#include "binding/dlpack_fields.h"
#include "dlpack/inspect.h"
#include "dlpack/owned_tensor.h"

namespace stridelab::binding {

struct DlpackState {
  explicit DlpackState(Napi::Env env) : fields(env) {}

  DlpackFields fields;
  /** Set by `take`, until `adoptTaken` or `dropTaken`. */
  dlpack::OwnedTensor taken;
  dlpack::Inspected inspected{};
};

/** The state of `dlpack`; `pythonImport` has a separate one. */
inline DlpackState& Read(Call& call, As<DlpackState>) { return call.environment().dlpack(); }

}  // namespace stridelab::binding

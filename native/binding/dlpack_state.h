// The state of DLPack calls between two of them.
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
  /** Between `take` and `adoptTaken` or `dropTaken`. */
  dlpack::OwnedTensor taken;
  dlpack::Inspected inspected{};
};

/** That of `dlpack`; `pythonImport` has one of its own. */
inline DlpackState& Read(Call& call, As<DlpackState>) { return call.environment().dlpack(); }

}  // namespace stridelab::binding

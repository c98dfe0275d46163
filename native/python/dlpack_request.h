// What a consumer asks of `__dlpack__` (rules 142 to 155).
#pragma once

#include <cstdint>
#include <optional>

#include "include/stridelab.h"
#include "python/api.h"

namespace stridelab::python {

struct DlpackRequest {
  /** None or a whole number, whose meaning depends on the device (rules 151 to 153). */
  std::optional<std::int64_t> stream;
  /** None: the unversioned struct (rule 143). */
  std::optional<DLPackVersion> max_version;
  std::optional<DLDevice> device;
  std::optional<bool> copy;
};

/** Of a vectorcall: keywords alone. TypeError, ValueError for anything else. */
DlpackRequest ReadDlpackRequest(PyObject* const* values, Size positional, PyObject* names);

}  // namespace stridelab::python

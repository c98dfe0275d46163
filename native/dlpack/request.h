// The parameters of a consumer's call of `__dlpack__` (rules 142 to 155).
#pragma once

#include <cstdint>
#include <optional>

#include "include/stridelab.h"

namespace stridelab::dlpack {

struct Request {
  /** None or an integer, whose meaning depends on the device (rules 151 to 153). */
  std::optional<std::int64_t> stream;
  /** None for the unversioned struct (rule 143). */
  std::optional<DLPackVersion> max_version;
  std::optional<DLDevice> device;
  std::optional<bool> copy;
};

}  // namespace stridelab::dlpack

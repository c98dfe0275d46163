// Blocks on their way from one JavaScript environment to another.
#pragma once

#include <cstdint>
#include <memory>

#include "core/storage.h"

namespace stridelab::core {

/** A number under which the block can be claimed once, by any environment of the process; keeps the block
 * until then. */
std::uint64_t Offer(const std::shared_ptr<Storage>& storage);

/** The block of that number. Throws kind `argument` where there is none: it was claimed, or never offered. */
std::shared_ptr<Storage> Claim(std::uint64_t token);

}  // namespace stridelab::core

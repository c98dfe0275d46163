// Transfers blocks from one JavaScript environment of the process to another.
#pragma once

#include <cstdint>
#include <memory>

#include "core/storage.h"

namespace stridelab::core {

/** Returns a token with which any environment of the process can claim the block once; keeps the block alive
 * until then. */
std::uint64_t Offer(const std::shared_ptr<Storage>& storage);

/** Returns the block offered under the token. Throws kind `argument` if it was claimed or never offered. */
std::shared_ptr<Storage> Claim(std::uint64_t token);

}  // namespace stridelab::core

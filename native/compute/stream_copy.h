// Copies past the cache.
#pragma once

#include <cstddef>

namespace stridelab::compute {

/**
 * A copy whose target is not read into the cache first: for targets far larger than it, that is a third of
 * the traffic of an addition. FinishStreamCopies must follow before another thread reads them.
 */
void StreamCopy(void* target, const void* source, std::size_t bytes);
void FinishStreamCopies();

/** Outputs of so many bytes are written past the cache. */
inline constexpr std::size_t kStreamFrom = std::size_t{8} << 20;

}  // namespace stridelab::compute

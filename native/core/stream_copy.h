// Copies that bypass the cache.
#pragma once

#include <cstddef>

namespace stridelab::core {

/**
 * Copies without reading the target into the cache first. For targets far larger than the cache, that saves a
 * third of the memory traffic of an addition. Call FinishStreamCopies before another thread reads the target.
 */
void StreamCopy(void* target, const void* source, std::size_t bytes);
void FinishStreamCopies();

}  // namespace stridelab::core

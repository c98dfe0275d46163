// Copies host memory with several threads: a single one is slower than a GPU's link.
#pragma once

#include <cstddef>

namespace stridelab::core {

/** Copies like std::memcpy, with as many threads as pay off; blocks until done. Runs one copy at a time:
 * other callers wait. */
void ParallelCopy(void* target, const void* source, std::size_t bytes);

}  // namespace stridelab::core

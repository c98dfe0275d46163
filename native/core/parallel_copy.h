// Copies between host memory by several threads: one alone is slower than a GPU's link.
#pragma once

#include <cstddef>

namespace stridelab::core {

/** Like std::memcpy, by as many threads as help; returns when all is copied. One copy at a time, callers wait
 * for one another. */
void ParallelCopy(void* target, const void* source, std::size_t bytes);

}  // namespace stridelab::core

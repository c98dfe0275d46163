// Host threads that share the work of one operation.
#pragma once

#include <cstddef>
#include <functional>

namespace stridelab::compute {

/** Returns how many threads one operation uses: the machine's cores, at most 16, or STRIDELAB_SIM_THREADS. */
std::size_t CrewSize();

/**
 * Calls `work` with each number below `parts`, which must be independent of each other, on this thread and
 * helpers. Returns when all are done; throws the first exception of a part. A call from a
 * part, or while another is running, uses no helpers.
 */
void RunParts(std::size_t parts, const std::function<void(std::size_t)>& work);

/** Work, in bytes moved or as costly, for which waking another thread pays off. */
inline constexpr std::size_t kLeastShare = std::size_t{256} << 10;

/** Returns into how many parts to divide work of that cost: 1 if helpers do not pay off. */
std::size_t PartsFor(std::size_t cost);

}  // namespace stridelab::compute

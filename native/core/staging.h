// Large copies between pageable host memory and a device, through pinned memory and by several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/storage.h"
#include "core/stream.h"
#include "core/wait.h"

namespace stridelab::core {

/** Bytes that go at a time; staging memory holds several. */
inline constexpr std::size_t kStagingSlot = std::size_t{4} << 20;

/**
 * Copies to `offset` of `target`, without staging from memory that the driver knows, such as pinned memory.
 * The source may be changed as soon as the call returns, while the last slots are still under way. `staging` is pinned memory of a whole number of slots, and its uses are ordered as
 * those of any block.
 */
void WriteStaged(Storage& target, std::size_t offset, std::span<const std::byte> source,
                 const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt);

/** Copies from `offset` of `source` and waits until all is there. */
void ReadStaged(Storage& source, std::size_t offset, std::span<std::byte> target,
                const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt);

}  // namespace stridelab::core

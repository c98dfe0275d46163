// Large copies between pageable host memory and a device, through pinned memory and with several threads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "core/storage.h"
#include "core/stream.h"
#include "core/wait.h"

namespace stridelab::core {

/** The least bytes of staging memory, which is divided into slots. */
inline constexpr std::size_t kLeastStaging = std::size_t{4} << 20;

/**
 * Copies to `offset` of `target`; memory known to the driver, such as pinned memory, is not staged. The
 * source may be changed as soon as the call returns, while the device still copies the last slots. `staging`
 * is pinned memory; its uses are ordered like those of any block. An interrupt abandons the copy.
 */
void WriteStaged(Storage& target, std::size_t offset, std::span<const std::byte> source,
                 const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt);

/** Copies from `offset` of `source` and waits until all bytes have arrived. */
void ReadStaged(Storage& source, std::size_t offset, std::span<std::byte> target,
                const std::shared_ptr<Stream>& stream, Storage& staging, const InterruptFlag& interrupt);

}  // namespace stridelab::core

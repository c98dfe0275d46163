// One array operation on a stream of a simulated device.
#pragma once

#include <napi.h>

#include <functional>
#include <span>

#include "core/storage.h"

namespace stridelab::binding {

/**
 * Submits `work` to the stream that `stream` is, ordered after the uses of the storages: the first `written`
 * of them are written, the others read. `bytes` is what it moves. Throws kind `argument` where the stream's
 * device is none that does such work.
 */
void SubmitWork(Napi::Value stream, const char* name, std::span<core::Storage* const> storages,
                std::size_t written, std::size_t bytes, std::function<void()> work);

/** Throws kind `argument` or `freed` for a stream that SubmitWork would refuse. */
void CheckStream(Napi::Value stream);

}  // namespace stridelab::binding

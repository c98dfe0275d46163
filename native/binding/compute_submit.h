// Array operations on a stream of a simulated device.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "binding/call.h"
#include "core/storage.h"

namespace stridelab::binding {

/** A stream whose device runs host code. As a parameter it throws kind `argument` or `freed` for others. */
struct ComputeStream {
  const std::shared_ptr<core::Stream>& stream;
  core::InterruptFlag interrupt;

  /**
   * Submits `work`, ordered after earlier uses of the storages. The first `written` storages are written, the
   * others read. `bytes` is the number of bytes that it moves.
   */
  void Submit(const char* name, std::span<core::Storage* const> storages, std::size_t written,
              std::size_t bytes, std::function<void()> work) const;
};

ComputeStream Read(Call& call, As<ComputeStream>);

}  // namespace stridelab::binding

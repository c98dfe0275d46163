// What two processes see of an interprocess event.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

/**
 * A page of memory in which each record leaves its number and how much virtual time the work before it still
 * needed. The clocks of two processes have nothing to do with one another, so that rest counts from when the
 * other process first looks.
 */
class SharedMark {
 public:
  /** Null where the system has no memory files. */
  static std::shared_ptr<SharedMark> Make();
  static std::shared_ptr<SharedMark> Open(const ipc::FileName& name);
  ~SharedMark();
  SharedMark(const SharedMark&) = delete;
  SharedMark& operator=(const SharedMark&) = delete;

  ipc::FileName Name() const;
  void Publish(std::int64_t remaining);
  /** The rest that a record of the other process left; nothing where there was none since the last call. */
  std::optional<std::int64_t> Take();

 private:
  struct Page {
    std::atomic<std::uint64_t> records;
    std::atomic<std::int64_t> remaining;
  };

  SharedMark(ipc::File file, Page* page) : file_(std::move(file)), page_(page) {}

  ipc::File file_;
  Page* page_;
  std::uint64_t seen_ = 0;
};

}  // namespace stridelab::driver::simulated

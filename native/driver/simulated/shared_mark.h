// The state of an interprocess event that two processes share.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>

#include "ipc/memory_file.h"

namespace stridelab::driver::simulated {

/**
 * A page of memory into which each record writes its number and the virtual time that the work before it
 * still needs. The clocks of two processes are unrelated, so that time counts from when the other process
 * first reads it.
 */
class SharedMark {
 public:
  /** Creates a mark; null if the system has no memory files. */
  static std::shared_ptr<SharedMark> Make() { return Map(ipc::MakeMemoryFile(ipc::kPageBytes)); }
  static std::shared_ptr<SharedMark> Open(const ipc::FileName& name);
  ~SharedMark();
  SharedMark(const SharedMark&) = delete;
  SharedMark& operator=(const SharedMark&) = delete;

  ipc::FileName Name() const;
  void Publish(std::int64_t remaining);
  /** Returns the remaining time of the other process's record; nullopt if there was none since last time. */
  std::optional<std::int64_t> Take();

 private:
  struct Page {
    std::atomic<std::uint64_t> records;
    std::atomic<std::int64_t> remaining;
  };

  /** Null unless the file is open. */
  static std::shared_ptr<SharedMark> Map(ipc::File file);
  SharedMark(ipc::File file, Page* page) : file_(std::move(file)), page_(page) {}

  ipc::File file_;
  Page* page_;
  std::uint64_t seen_ = 0;
};

}  // namespace stridelab::driver::simulated

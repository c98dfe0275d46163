// The short list of streams that used a storage.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/event_pool.h"
#include "core/stream.h"
#include "generated/words.h"

namespace stridelab::core {

using stridelab::Access;

struct Use {
  std::shared_ptr<Stream> stream;
  Access access;
  std::uint64_t sequence;

  bool Complete() const { return stream->completed() >= sequence; }
};

/**
 * At most one read and one write for each stream, oldest first. Events are recorded only when another stream
 * has to wait, at the tail of the stream to wait for: an event for each operation would cost every program
 * what few need. Waiting for the tail is right, at worst a little late.
 */
class UseList {
 public:
  /** Orders `stream` after earlier uses: a writer after readers and writers, a reader after writers. */
  void Prepare(Stream& stream, Access access);
  void Add(const std::shared_ptr<Stream>& stream, Access access, std::uint64_t sequence);
  /** Has `use` stand as an operation of another stream, which is ordered after it. */
  void Replace(const Use& use, const std::shared_ptr<Stream>& stream, std::uint64_t sequence);
  /** Incomplete uses and the latest one, after asking the driver. */
  const std::vector<Use>& Refresh();
  /** The stream that stands for those of others, null where none does yet. */
  std::shared_ptr<Stream> UnnamedUser() const;
  /** The latest write that is remembered. */
  std::optional<Use> LastWrite() const;
  /** See NativeStorage.join. Null when nothing is pending; `device` gives a stream where all users were
   * destroyed. */
  std::shared_ptr<Stream> Join(Device& device, bool read_only);
  /** Marks behind all pending uses, for memory that is about to be freed. */
  std::vector<WorkMark> MarkPending();

 private:
  void DropComplete();

  std::vector<Use> uses_;
};

}  // namespace stridelab::core

// The list of streams that used a storage.
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
 * The uses of a storage: at most one read and one write for each stream, oldest first. Events are recorded
 * only when another stream has to wait, at the tail of the stream to wait for: an event for each operation
 * would cost all programs what few need. Waiting for the tail is correct, though it may wait for more work.
 */
class UseList {
 public:
  /** Orders `stream` after earlier uses: a writer after readers and writers, a reader after writers. */
  void Prepare(Stream& stream, Access access);
  void Add(const std::shared_ptr<Stream>& stream, Access access, std::uint64_t sequence);
  /** Replaces `use` by an operation of another stream, which is ordered after it. */
  void Replace(const Use& use, const std::shared_ptr<Stream>& stream, std::uint64_t sequence);
  /** Queries the driver, then returns the incomplete uses and the latest one. */
  const std::vector<Use>& Refresh();
  /** The stand-in for unknown external streams (Stream::Unnamed); null if there is none yet. */
  std::shared_ptr<Stream> UnnamedUser() const;
  /** The latest write in the list. */
  std::optional<Use> LastWrite() const;
  /** Returns a stream ordered after all pending uses, null if there are none; see NativeStorage.join. It is a
   * stream of `device` if all users were destroyed or are capturing. */
  std::shared_ptr<Stream> Join(Device& device, bool read_only);
  /** Returns marks after all pending uses, for memory that is about to be freed. */
  std::vector<WorkMark> MarkPending();

 private:
  void DropComplete();

  std::vector<Use> uses_;
};

}  // namespace stridelab::core

#include "core/use_list.h"

#include <algorithm>

#include "core/device.h"

namespace stridelab::core {

void UseList::Prepare(Stream& stream, Access access) {
  for (const Use& use : uses_) {
    const bool conflict = access == Access::kWrite || use.access == Access::kWrite;
    if (conflict && use.stream.get() != &stream) stream.OrderAfter(*use.stream, use.sequence);
  }
}

void UseList::Add(const std::shared_ptr<Stream>& stream, Access access, std::uint64_t sequence) {
  if (Stream::IsLook(sequence)) {
    // Inspections go to the front: the latest operation stays the last entry.
    std::erase_if(uses_, [&](const Use& use) {
      return use.stream == stream && use.access == access && Stream::IsLook(use.sequence);
    });
    uses_.insert(uses_.begin(), Use{stream, access, sequence});
    return;
  }
  const auto is_repeated = [&](const Use& use) { return use.stream == stream && use.access == access; };
  // The usual case: the latest use once more, which moves no entry.
  const bool in_place = !uses_.empty() && is_repeated(uses_.back());
  const auto others = in_place ? uses_.end() - 1 : uses_.end();
  // Work ordered after the new write is also ordered after everything that the write waited for.
  const auto kept = std::remove_if(uses_.begin(), others, [&](const Use& use) {
    if (is_repeated(use)) return true;
    return access == Access::kWrite ? stream->IsOrderedAfter(*use.stream, use.sequence) : use.Complete();
  });
  uses_.erase(kept, others);
  if (in_place) {
    uses_.back().sequence = sequence;
  } else {
    uses_.push_back(Use{stream, access, sequence});
  }
}

void UseList::Replace(const Use& use, const std::shared_ptr<Stream>& stream, std::uint64_t sequence) {
  std::erase_if(uses_, [&](const Use& known) {
    return known.stream == use.stream && known.access == use.access && known.sequence == use.sequence;
  });
  uses_.push_back(Use{stream, use.access, sequence});
}

void UseList::DropComplete() {
  if (uses_.empty()) return;
  const Use latest = uses_.back();
  std::erase_if(uses_, [](const Use& use) { return use.Complete(); });
  // Exports name the stream of the latest operation, even if only an inspection is still pending.
  const bool has_operation =
      std::any_of(uses_.begin(), uses_.end(), [](const Use& use) { return !Stream::IsLook(use.sequence); });
  if (!has_operation && !Stream::IsLook(latest.sequence)) uses_.push_back(latest);
}

std::shared_ptr<Stream> UseList::UnnamedUser() const {
  const auto found =
      std::find_if(uses_.begin(), uses_.end(), [](const Use& use) { return use.stream->unnamed(); });
  return found == uses_.end() ? nullptr : found->stream;
}

std::optional<Use> UseList::LastWrite() const {
  const auto write =
      std::find_if(uses_.rbegin(), uses_.rend(), [](const Use& use) { return use.access == Access::kWrite; });
  return write == uses_.rend() ? std::nullopt : std::optional(*write);
}

const std::vector<Use>& UseList::Refresh() {
  std::vector<const Stream*> busy;
  for (const Use& use : uses_) {
    if (use.Complete() || std::find(busy.begin(), busy.end(), use.stream.get()) != busy.end()) continue;
    if (!use.stream->Query()) busy.push_back(use.stream.get());
  }
  DropComplete();
  return uses_;
}

std::shared_ptr<Stream> UseList::Join(Device& device, bool read_only) {
  std::vector<Use> pending = Refresh();
  std::erase_if(pending,
                [&](const Use& use) { return use.Complete() || (read_only && use.access == Access::kRead); });
  if (pending.empty()) return nullptr;
  const auto live = std::find_if(pending.rbegin(), pending.rend(), [](const Use& use) {
    return !use.stream->destroyed() && !use.stream->capturing();
  });
  std::shared_ptr<Stream> joined = live == pending.rend() ? device.LegacyStream() : live->stream;
  for (const Use& use : pending) joined->OrderAfter(*use.stream, use.sequence);
  return joined;
}

std::vector<WorkMark> UseList::MarkPending() {
  std::vector<WorkMark> marks;
  std::vector<const Stream*> seen;
  for (const Use& use : Refresh()) {
    if (use.Complete() || std::find(seen.begin(), seen.end(), use.stream.get()) != seen.end()) continue;
    seen.push_back(use.stream.get());
    if (WorkMark mark = use.stream->MarkTail()) marks.push_back(std::move(mark));
  }
  return marks;
}

}  // namespace stridelab::core

#include "core/capture.h"

#include <algorithm>

#include "core/device.h"
#include "core/error.h"
#include "core/operation.h"
#include "core/storage.h"
#include "core/stream.h"

namespace stridelab::core {

Graph::~Graph() { device_.Dispose<&DriverTable::cuGraphExecDestroy>(executable_); }

void Graph::Launch(const std::shared_ptr<Stream>& stream, const InterruptFlag& interrupt) const {
  stream->RequireAlive();
  if (&stream->device() != &device_) {
    throw Error(ErrorKind::kArgument, "stream " + std::to_string(stream->id()) + " is on device " +
                                          std::to_string(stream->device().ordinal()) +
                                          ", but the graph is on device " +
                                          std::to_string(device_.ordinal()));
  }
  std::vector<Operand> operands;
  operands.reserve(accesses_.size());
  for (const CapturedAccess& captured : accesses_)
    operands.push_back({captured.storage.get(), captured.access});
  const auto submit = [&] {
    CallDriver<&DriverTable::cuGraphLaunch>(device_.table(), executable_, stream->handle());
  };
  RunOperation(stream, operands, interrupt, submit, {TraceKind::kGraph, "graph launch"});
}

void Capture::OrderInside(Stream& later, Stream& earlier) {
  const PooledEvent event(earlier.device());
  earlier.Record(event.handle());
  later.Wait(event.handle());
}

void Capture::Prepare(const Storage& storage, Stream& stream, Access access) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(&storage);
  if (entry == entries_.end()) return;
  for (const auto& [user, used] : entry->second.uses) {
    const bool conflict = access == Access::kWrite || used == Access::kWrite;
    if (conflict && user.get() != &stream) OrderInside(stream, *user);
  }
}

void Capture::Note(const std::shared_ptr<Storage>& storage, const std::shared_ptr<Stream>& stream,
                   Access access) {
  const std::lock_guard lock(mutex_);
  Entry& entry = entries_[storage.get()];
  // Nearly always one stream repeats its use, which changes nothing.
  if (entry.uses.size() == 1 && entry.uses.front() == std::pair(stream, access)) return;
  entry.storage = storage;
  if (access == Access::kWrite) entry.access = Access::kWrite;
  // Work ordered after a write is also ordered after everything that the write waited for.
  std::erase_if(entry.uses, [&](const auto& use) {
    return access == Access::kWrite || (use.first == stream && use.second == access);
  });
  entry.uses.emplace_back(stream, access);
}

std::shared_ptr<Stream> Capture::Join(const Storage& storage, bool read_only) {
  const std::lock_guard lock(mutex_);
  const auto entry = entries_.find(&storage);
  if (entry == entries_.end()) return nullptr;
  std::shared_ptr<Stream> joined = entry->second.uses.back().first;
  for (const auto& [user, used] : entry->second.uses) {
    if (user != joined && (!read_only || used != Access::kRead)) OrderInside(*joined, *user);
  }
  return joined;
}

std::vector<CapturedAccess> Capture::Accesses() const {
  const std::lock_guard lock(mutex_);
  std::vector<CapturedAccess> accesses;
  accesses.reserve(entries_.size());
  for (const auto& [storage, entry] : entries_) accesses.push_back({entry.storage, entry.access});
  return accesses;
}

void Capture::AddStream(const std::shared_ptr<Stream>& stream) {
  const std::lock_guard lock(mutex_);
  streams_.push_back(stream);
}

void Capture::Close() {
  std::unordered_map<const Storage*, Entry> entries;  // Outlives the lock: its end may free blocks.
  const std::lock_guard lock(mutex_);
  for (const std::weak_ptr<Stream>& member : streams_) {
    if (const std::shared_ptr<Stream> stream = member.lock()) stream->LeaveCapture();
  }
  entries.swap(entries_);
}

}  // namespace stridelab::core

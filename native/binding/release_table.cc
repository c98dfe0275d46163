#include "binding/release_table.h"

#include <algorithm>
#include <atomic>
#include <span>
#include <utility>

#include "binding/entry.h"
#include "core/device.h"
#include "core/driver.h"

namespace stridelab::binding {

namespace {

/**
 * The most garbage before a collection is forced. V8 starts one by itself after 64 MiB, but finishes it
 * gradually, and a loop that allocates device memory is faster than that.
 */
constexpr std::int64_t kMostGarbage = std::int64_t{160} << 20;
/** With fewer objects than this, a collection is worthwhile only if they may hold this part of the device. */
constexpr std::int64_t kFewObjects = 64;
constexpr std::int64_t kPartOfDevice = 4;
/**
 * The most recent garbage in host memory before young objects are collected. That takes a tenth of a millisecond; memory that is reused
 * while it is in the cache saves more.
 */
constexpr std::int64_t kMostYoungGarbage = std::int64_t{16} << 20;

}  // namespace

std::shared_ptr<ReleaseTable> ReleaseTable::Make(Napi::Env env) {
  std::shared_ptr<ReleaseTable> table(new ReleaseTable);
  table->functions_ = Napi::Persistent(Napi::Array::New(env).As<Napi::Object>());
  Napi::ArrayBuffer word = Napi::ArrayBuffer::New(env, sizeof(std::int32_t));
  table->pending_ = static_cast<std::int32_t*>(word.Data());
  table->word_ = Napi::Persistent(Napi::Int32Array::New(env, 1, word, 0).As<Napi::Object>());
  table->poster_.Open<OnPosted>(env, "finished releases", table);
  return table;
}

std::uint32_t ReleaseTable::Add(Napi::Function function) {
  const std::uint32_t slot = free_slots_.empty() ? slots_++ : free_slots_.back();
  if (!free_slots_.empty()) free_slots_.pop_back();
  functions_.Value().Set(slot, function);
  return slot;
}

void ReleaseTable::Forget(std::uint32_t slot) {
  functions_.Set(slot, functions_.Env().Undefined());
  free_slots_.push_back(slot);
}

core::Release ReleaseTable::ReleaseOf(std::uint32_t slot) {
  return {[table = shared_from_this(), slot] { table->Finish(slot); }, core::ReleasePlace::kAnywhere};
}

void ReleaseTable::NoteQueued() noexcept {
  std::atomic_ref(*pending_).fetch_add(1, std::memory_order_release);
  PostLocked();
}

void ReleaseTable::PostLocked() noexcept {
  if (!posted_ && !closed_) posted_ = poster_.Post();
}

void ReleaseTable::Post() noexcept {
  const std::lock_guard lock(mutex_);
  PostLocked();
}

void ReleaseTable::Finish(std::uint32_t slot) noexcept {
  const std::lock_guard lock(mutex_);
  if (closed_) return;
  finished_.push_back(slot);
  NoteQueued();
}

void ReleaseTable::Defer(std::function<void()> release) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (!closed_) {
      deferred_.push_back(std::move(release));
      NoteQueued();
      return;
    }
  }
  // The environment has ended, and with it its collector.
  core::RunRelease({std::move(release), core::ReleasePlace::kAnywhere});
}

bool ReleaseTable::HasQueued() const {
  const std::lock_guard lock(mutex_);
  return !finished_.empty() || !deferred_.empty();
}

void ReleaseTable::CallSlot(Napi::Env env, std::uint32_t slot) {
  const Napi::HandleScope scope(env);
  try {
    const Napi::Object functions = functions_.Value();
    const Napi::Value function = functions.Get(slot);
    functions.Set(slot, env.Undefined());
    free_slots_.push_back(slot);
    CallJavaScript(function.As<Napi::Function>());
  } catch (const Napi::Error& error) {
    if (IsStop(error)) throw;
    ++failures_;
    Napi::Object holder = Napi::Object::New(env);
    holder.Set("last", ThrownValue(error));
    last_failure_ = Napi::Persistent(holder);
  }
}

void ReleaseTable::AddPressure(std::int64_t bytes, std::uint64_t most, bool in_host) {
  pressure_ += bytes;
  floor_ = std::min(floor_, pressure_);
  young_floor_ = std::min(young_floor_, pressure_);
  if (bytes <= 0 || wanted_ == Collection::kFull || collector_.IsEmpty()) return;
  ++made_;
  if (in_host && pressure_ - young_floor_ >= kMostYoungGarbage) Want(Collection::kYoung);
  // With much memory in permanent use, the limit grows: a collection costs as much as the whole heap.
  const std::int64_t grown = pressure_ - floor_;
  if (grown < std::max(kMostGarbage, floor_ / 2)) return;
  if (made_ < kFewObjects && grown < static_cast<std::int64_t>(most) / kPartOfDevice) return;
  Want(Collection::kFull);
}

void ReleaseTable::Want(Collection collection) {
  if (wanted_ == Collection::kNone) std::atomic_ref(*pending_).fetch_add(1, std::memory_order_release);
  wanted_ = collection;
}

void ReleaseTable::CollectIfWanted() {
  if (wanted_ != Collection::kNone) Collect(wanted_);
}

void ReleaseTable::Collect(Collection collection) {
  if (wanted_ != Collection::kNone) std::atomic_ref(*pending_).fetch_sub(1, std::memory_order_release);
  wanted_ = Collection::kNone;
  if (collector_.IsEmpty()) return;
  const bool young = collection == Collection::kYoung;
  const Napi::HandleScope scope(collector_.Env());
  CallJavaScript(collector_.Value(), {Napi::Boolean::New(collector_.Env(), young)});
  young_floor_ = pressure_;
  if (young) return;
  floor_ = pressure_;
  made_ = 0;
}

std::uint32_t ReleaseTable::RunQueued(Napi::Env env) {
  std::uint32_t count = 0;
  while (!closed_) {
    std::vector<std::uint32_t> finished;
    std::vector<std::function<void()>> deferred;
    {
      const std::lock_guard lock(mutex_);
      finished.swap(finished_);
      deferred.swap(deferred_);
      const auto taken = static_cast<std::int32_t>(finished.size() + deferred.size());
      if (taken == 0) break;
      std::atomic_ref(*pending_).fetch_sub(taken, std::memory_order_release);
      count += static_cast<std::uint32_t>(taken);
    }
    for (std::function<void()>& release : deferred)
      core::RunRelease({std::move(release), core::ReleasePlace::kAnywhere});
    for (std::size_t index = 0; index < finished.size(); ++index) {
      try {
        CallSlot(env, finished[index]);
      } catch (const Napi::Error&) {
        // JavaScript is being stopped inside this function. The others are called later.
        for (const std::uint32_t slot : std::span(finished).subspan(index + 1)) Finish(slot);
        throw;
      }
    }
  }
  return count;
}

std::uint32_t ReleaseTable::Drain(Napi::Env env, bool wait) {
  if (wait) {
    Collect(Collection::kFull);
  } else {
    CollectIfWanted();
  }
  for (core::Device* device : core::Driver::OpenedDevices()) {
    if (wait) {
      device->parked().WaitAndFreeAll();
    } else {
      device->parked().FreeFinished(core::ParkedBlocks::kThorough);
    }
  }
  return RunQueued(env);
}

Napi::Value ReleaseTable::last_failure(Napi::Env env) const {
  return last_failure_.IsEmpty() ? env.Undefined() : last_failure_.Value().Get("last");
}

void ReleaseTable::Close() {
  std::vector<std::function<void()>> deferred;
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    finished_.clear();
    deferred.swap(deferred_);
  }
  for (std::function<void()>& release : deferred)
    core::RunRelease({std::move(release), core::ReleasePlace::kAnywhere});
  functions_.Reset();
  collector_.Reset();
  word_.Reset();
  last_failure_.Reset();
}

void ReleaseTable::OnPosted(napi_env env, void* context, void*) {
  auto& table = *static_cast<ReleaseTable*>(context);
  {
    const std::lock_guard lock(table.mutex_);
    table.posted_ = false;
    if (table.closed_) return;
  }
  if (env == nullptr) return;
  try {
    // Virtual time advances only in calls, so memory that is parked on it is waited for here.
    for (core::Device* device : core::Driver::OpenedDevices()) {
      if (device->table().virtual_time && device->parked().HoldsAdopted()) device->parked().WaitAndFreeAll();
    }
    table.Drain(env, false);
  } catch (const std::exception&) {
    return;  // The device was lost or the environment is ending: the error cannot be reported.
  }
}

}  // namespace stridelab::binding

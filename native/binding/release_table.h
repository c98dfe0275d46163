// The releases that wait for this environment's JavaScript thread.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "binding/entry.h"
#include "core/owned_allocations.h"
#include "core/release.h"

namespace stridelab::binding {

/**
 * Keeps JavaScript's release functions in numbered slots. When a block is ready to release, its number is
 * queued, from any thread; Drain calls the functions on the JavaScript thread. A thread-safe function that
 * does not keep the process alive drains the rest in a turn of the event loop. Blocks hold the table, so it
 * outlives its environment; allocations that the environment made through `raw` end with it.
 */
class ReleaseTable final : public core::ReleaseSink, public std::enable_shared_from_this<ReleaseTable> {
 public:
  static std::shared_ptr<ReleaseTable> Make(Napi::Env env);

  /** Adds a slot for `function`. JavaScript thread, like Forget and ReleaseOf. */
  std::uint32_t Add(Napi::Function function);
  /** Frees a slot whose release will not run. */
  void Forget(std::uint32_t slot);
  /** Makes the native side of a block that is released by calling the slot's function. */
  core::Release ReleaseOf(std::uint32_t slot);
  /** Queues a native release from inside a collector. */
  void Defer(std::function<void()> release) noexcept override;
  /** Has Drain called in a turn of the event loop. Any thread, also inside a collector. */
  void Post() noexcept;

  /** Collects finished blocks and runs the queued releases; with `wait`, waits for the device work first.
   * JavaScript thread. Returns how many ran. */
  std::uint32_t Drain(Napi::Env env, bool wait);
  /** Adds to the bytes that JavaScript objects keep of a memory of `most` bytes, which is the host's or a GPU's. Requests a collection if
   * much may be garbage. JavaScript thread, also inside a collector. */
  void AddPressure(std::int64_t bytes, std::uint64_t most, bool in_host);
  /** Sets the function that collects JavaScript's garbage immediately. */
  void SetCollector(Napi::Function collector) { collector_ = Napi::Persistent(collector); }
  /** Collects if AddPressure requested it. */
  void CollectIfWanted();
  /** Collects young objects, or all. */
  enum class Collection { kNone, kYoung, kFull };
  void Collect(Collection collection);
  /** Runs the queued releases. Returns how many ran. */
  std::uint32_t RunQueued(Napi::Env env);
  bool HasQueued() const;

  /** The Int32Array whose first word counts the queued releases. */
  Napi::Value pending_word() const { return word_.Value(); }
  std::uint32_t failures() const { return failures_; }
  /** Undefined before the first failure. */
  Napi::Value last_failure(Napi::Env env) const;
  core::OwnedAllocations& allocations() { return allocations_; }

  /** Ends with the environment: runs native releases, drops JavaScript's. */
  void Close();

 private:
  ReleaseTable() = default;

  void Want(Collection collection);
  void Finish(std::uint32_t slot) noexcept;
  /** Called with the lock held. */
  void NoteQueued() noexcept;
  void PostLocked() noexcept;
  void CallSlot(Napi::Env env, std::uint32_t slot);
  static void OnPosted(napi_env env, void* context, void* data);

  Napi::ObjectReference functions_;
  Napi::ObjectReference word_;
  Napi::ObjectReference last_failure_;
  std::uint32_t failures_ = 0;
  std::uint32_t slots_ = 0;
  std::vector<std::uint32_t> free_slots_;
  core::OwnedAllocations allocations_;
  Napi::FunctionReference collector_;
  std::int64_t pressure_ = 0;
  /** The least pressure since the last requested collection. */
  std::int64_t floor_ = 0;
  /** Objects made since then. */
  std::int64_t made_ = 0;
  /** The least pressure since the last requested collection of any kind. */
  std::int64_t young_floor_ = 0;
  Collection wanted_ = Collection::kNone;

  mutable std::mutex mutex_;
  std::vector<std::uint32_t> finished_;
  std::vector<std::function<void()>> deferred_;
  std::int32_t* pending_ = nullptr;
  Poster poster_;
  bool posted_ = false;
  bool closed_ = false;
};

}  // namespace stridelab::binding

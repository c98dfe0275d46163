// The releases that wait for this environment's JavaScript thread.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/owned_allocations.h"
#include "core/release.h"

namespace stridelab::binding {

/**
 * JavaScript's release functions stand in numbered slots. When a block is done its number is queued, from any
 * thread; Drain calls the functions on the JavaScript thread. A thread-safe function that does not keep the
 * process alive drains in a turn of the event loop what nobody drained before. Blocks hold the table, so it
 * outlives its environment; what the environment allocated through `raw` goes with it.
 */
class ReleaseTable final : public core::ReleaseSink, public std::enable_shared_from_this<ReleaseTable> {
 public:
  static std::shared_ptr<ReleaseTable> Make(Napi::Env env);

  /** A slot for `function`. JavaScript thread, as Forget and ReleaseOf. */
  std::uint32_t Add(Napi::Function function);
  /** Takes a slot back whose release will not run. */
  void Forget(std::uint32_t slot);
  /** The native side of a block that is released by calling the slot's function. */
  core::Release ReleaseOf(std::uint32_t slot);
  /** Native releases that a collector hands over. */
  void Defer(std::function<void()> release) noexcept override;
  /** Has Drain called in a turn of the event loop. Any thread, also inside a collector. */
  void Post() noexcept;

  /** Looks for finished blocks and runs what is queued; with `wait`, waits for the device work first.
   * JavaScript thread. Returns how many ran. */
  std::uint32_t Drain(Napi::Env env, bool wait);
  /** What JavaScript objects keep, in bytes, changed. Asks for a collection where much may be garbage.
   * JavaScript thread, also inside a collector. */
  void AddPressure(std::int64_t bytes, const core::Device& device);
  /** Adds to what JavaScript objects keep of a memory of `most` bytes. Asks for a collection where much may be garbage. */
  void AddPressure(std::int64_t bytes, std::uint64_t most);
  /** The function that collects JavaScript's garbage at once. */
  void SetCollector(Napi::Function collector) { collector_ = Napi::Persistent(collector); }
  /** Collects where AddPressure asked for it. */
  void CollectIfWanted();
  void Collect();
  /** Runs what is queued. */
  std::uint32_t RunQueued(Napi::Env env);
  bool HasQueued() const;

  /** The Int32Array whose first word counts what is queued. */
  Napi::Value pending_word() const { return word_.Value(); }
  std::uint32_t failures() const { return failures_; }
  /** Undefined before the first. */
  Napi::Value last_failure(Napi::Env env) const;
  core::OwnedAllocations& allocations() { return allocations_; }

  /** The environment ends: runs native releases, forgets JavaScript's. */
  void Close();
  /** For MakePoster: nothing can be posted from now on. */
  void OnPosterGone();

 private:
  ReleaseTable() = default;

  void Finish(std::uint32_t slot) noexcept;
  /** With the lock held. */
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
  /** The least pressure since the last collection that was asked for. */
  std::int64_t floor_ = 0;
  /** Objects made since then. */
  std::int64_t made_ = 0;
  bool collection_wanted_ = false;

  mutable std::mutex mutex_;
  std::vector<std::uint32_t> finished_;
  std::vector<std::function<void()>> deferred_;
  std::int32_t* pending_ = nullptr;
  napi_threadsafe_function poster_ = nullptr;
  bool posted_ = false;
  bool closed_ = false;
};

}  // namespace stridelab::binding

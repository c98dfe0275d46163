// The sockets of one JavaScript environment.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

#include "binding/call.h"
#include "ipc/socket.h"
#include "ipc/watcher.h"

namespace stridelab::binding {

/**
 * Numbered sockets. A thread watches them and calls a function of the environment, in a turn of its event
 * loop, for those that are ready; this does not keep the loop alive. JavaScript thread.
 */
class ChannelTable : public std::enable_shared_from_this<ChannelTable> {
 public:
  explicit ChannelTable(Napi::Env env) : env_(env) {}
  ChannelTable(const ChannelTable&) = delete;
  ChannelTable& operator=(const ChannelTable&) = delete;

  using Handler = std::function<void(Napi::Env env, std::uint32_t number)>;
  /** Adds a handler, before the first socket. Several copies of the library may each have one. */
  void Watch(Handler handler);
  std::uint32_t Add(ipc::File socket);
  /** Throws kind `freed` if the number was closed. */
  int Find(std::uint32_t number) const;
  void Rearm(std::uint32_t number);
  void Close(std::uint32_t number) { sockets_.erase(number); }
  /** Called by the poster when the environment has ended. */
  void OnEnvironmentEnd() { watcher_.reset(); }

 private:
  static void OnReady(napi_env env, void* table, void* number);

  Napi::Env env_;
  /** A list, whose elements stay in place when a handler adds another. */
  std::list<Handler> handlers_;
  Poster poster_;
  std::unique_ptr<ipc::Watcher> watcher_;
  std::unordered_map<std::uint32_t, ipc::File> sockets_;
  std::uint32_t next_ = 1;
};

inline ChannelTable& Read(Call& call, As<ChannelTable>) { return call.environment().channels(); }

}  // namespace stridelab::binding

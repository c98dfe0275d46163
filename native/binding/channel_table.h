// The sockets of one JavaScript environment.
#pragma once

#include <napi.h>

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <unordered_map>

#include "ipc/socket.h"
#include "ipc/watcher.h"

namespace stridelab::binding {

/**
 * Sockets under numbers. A thread watches them; what it sees is told to a function of the environment in a
 * turn of its event loop, which that does not keep alive. All of it ends with the environment. JavaScript
 * thread.
 */
class ChannelTable {
 public:
  explicit ChannelTable(Napi::Env env) : env_(env) {}
  ~ChannelTable();
  ChannelTable(const ChannelTable&) = delete;
  ChannelTable& operator=(const ChannelTable&) = delete;

  using Handler = std::function<void(Napi::Env env, std::uint32_t number)>;
  /** Before the first socket. Several copies of the library may each have a handler. */
  void Watch(Handler handler);
  std::uint32_t Add(ipc::File socket);
  /** Throws kind `freed` for a number that is closed. */
  int Find(std::uint32_t number) const;
  void Rearm(std::uint32_t number);
  void Close(std::uint32_t number) { sockets_.erase(number); }

 private:
  static void OnReady(napi_env env, void* table, void* number);
  static void OnEnvironmentEnds(void* table);

  Napi::Env env_;
  /** A list, since a handler may add another. */
  std::list<Handler> handlers_;
  napi_threadsafe_function notify_ = nullptr;
  std::unique_ptr<ipc::Watcher> watcher_;
  std::unordered_map<std::uint32_t, ipc::File> sockets_;
  std::uint32_t next_ = 1;
};

}  // namespace stridelab::binding

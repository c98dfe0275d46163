// A thread that reports when sockets become readable.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "ipc/memory_file.h"

namespace stridelab::ipc {

class Watcher {
 public:
  /** Starts the thread, which calls `ready` with the number of a socket; `ready` must only pass it on. Throws
   * SocketError. */
  explicit Watcher(std::function<void(std::uint32_t)> ready);
  /** Stops the thread. */
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /** Reports once when the socket is readable or its other end closed; call `Rearm` for the next report. */
  void Watch(int socket, std::uint32_t number);
  void Rearm(int socket, std::uint32_t number);

 private:
  void Run();
  void Ask(int operation, int socket, std::uint32_t number);

  std::function<void(std::uint32_t)> ready_;
  File queue_;
  File stop_;
  std::thread thread_;
};

}  // namespace stridelab::ipc

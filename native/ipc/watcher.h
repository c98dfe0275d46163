// A thread that tells when sockets have something to say.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>

#include "ipc/memory_file.h"

namespace stridelab::ipc {

class Watcher {
 public:
  /** `ready` is called on the watcher's thread, and must only pass the number on. Throws SocketError. */
  explicit Watcher(std::function<void(std::uint32_t)> ready);
  /** Ends the thread. */
  ~Watcher();
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  /** Tells once when the socket can be read or its other end is closed; `Rearm` asks for the next time. */
  void Watch(int socket, std::uint32_t number);
  void Rearm(int socket, std::uint32_t number);

 private:
  void Run();

  std::function<void(std::uint32_t)> ready_;
  File queue_;
  File stop_;
  std::thread thread_;
};

}  // namespace stridelab::ipc

#include "ipc/watcher.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "ipc/socket.h"

namespace stridelab::ipc {
namespace {

/** The number of the stop event; no socket has it. */
constexpr std::uint32_t kStop = UINT32_MAX;

}  // namespace

Watcher::Watcher(std::function<void(std::uint32_t)> ready)
    : ready_(std::move(ready)), queue_(epoll_create1(EPOLL_CLOEXEC)), stop_(eventfd(0, EFD_CLOEXEC)) {
  if (!queue_.open() || !stop_.open()) throw SocketError("epoll", errno);
  Watch(stop_.descriptor(), kStop);
  thread_ = std::thread([this] { Run(); });
}

Watcher::~Watcher() {
  const std::uint64_t one = 1;
  // The write cannot fail: nothing else writes to this eventfd.
  [[maybe_unused]] const ssize_t written = write(stop_.descriptor(), &one, sizeof(one));
  thread_.join();
}

void Watcher::Ask(int operation, int socket, std::uint32_t number) {
  epoll_event event{};
  event.events = EPOLLIN | EPOLLRDHUP | EPOLLONESHOT;
  event.data.u32 = number;
  if (epoll_ctl(queue_.descriptor(), operation, socket, &event) != 0) throw SocketError("epoll", errno);
}

void Watcher::Watch(int socket, std::uint32_t number) { Ask(EPOLL_CTL_ADD, socket, number); }

void Watcher::Rearm(int socket, std::uint32_t number) { Ask(EPOLL_CTL_MOD, socket, number); }

void Watcher::Run() {
  std::array<epoll_event, 16> events{};
  for (;;) {
    const int count = epoll_wait(queue_.descriptor(), events.data(), events.size(), -1);
    if (count < 0 && errno != EINTR) return;
    for (int index = 0; index < count; ++index) {
      const std::uint32_t number = events[static_cast<std::size_t>(index)].data.u32;
      if (number == kStop) return;
      ready_(number);
    }
  }
}

}  // namespace stridelab::ipc

#include "ipc/link.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <thread>
#include <utility>

#include "ipc/socket.h"

namespace stridelab::ipc {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kHeader = 8;
constexpr std::size_t kChunk = std::size_t{1} << 16;
/** The buffer of a larger message is freed after use. */
constexpr std::size_t kKept = std::size_t{1} << 20;
/** Maximum number of files in one call of recvmsg: more than any message has. */
constexpr std::size_t kFiles = 64;
/** Time to poll without sleeping: a reply usually arrives before a sleeping thread would wake. */
constexpr auto kSpin = std::chrono::microseconds(60);
/** Polling interval of `stop`, in ms. */
constexpr int kPauseMs = 10;

void MakeNonblocking(int descriptor) {
  if (fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK) != 0)
    throw SocketError("fcntl", errno);
}

std::uint64_t HeaderAt(const unsigned char* bytes) {
  std::uint64_t header = 0;
  std::memcpy(&header, bytes, sizeof header);
  return header;
}

}  // namespace

Link Link::Open(LinkEnds& theirs) {
  std::array<int, 2> sockets{};
  std::array<int, 2> pipe{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets.data()) != 0)
    throw SocketError("socketpair", errno);
  File socket(sockets[0]);
  theirs.socket = File(sockets[1]);
  if (pipe2(pipe.data(), O_CLOEXEC) != 0) throw SocketError("pipe", errno);
  File errors(pipe[0]);
  theirs.errors = File(pipe[1]);
  MakeNonblocking(socket.descriptor());
  MakeNonblocking(errors.descriptor());
  return {std::move(socket), std::move(errors)};
}

Link Link::Inherit(int descriptor) {
  if (fcntl(descriptor, F_SETFD, FD_CLOEXEC) != 0) throw SocketError("fcntl", errno);
  File socket(descriptor);
  MakeNonblocking(descriptor);
  // The socket ends with the parent too, but a loop in JavaScript would not notice.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  Link link(std::move(socket), File());
  link.errors_ended_ = true;
  return link;
}

bool Link::Send(const unsigned char* bytes, std::size_t count, const std::vector<int>& descriptors) {
  std::uint64_t head = count | (static_cast<std::uint64_t>(descriptors.size()) << 56U);
  std::vector<unsigned char> control(CMSG_SPACE(sizeof(int) * std::max<std::size_t>(descriptors.size(), 1)));
  for (std::size_t done = 0; done < kHeader + count;) {
    std::array<iovec, 2> parts{};
    std::size_t used = 0;
    if (done < kHeader) parts.at(used++) = {reinterpret_cast<char*>(&head) + done, kHeader - done};
    const std::size_t first = done < kHeader ? 0 : done - kHeader;
    if (first < count) parts.at(used++) = {const_cast<unsigned char*>(bytes) + first, count - first};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = used;
    if (done == 0 && !descriptors.empty()) AttachFiles(message, control.data(), descriptors);
    const ssize_t written = sendmsg(socket(), &message, MSG_NOSIGNAL);
    if (written >= 0) {
      done += static_cast<std::size_t>(written);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET) return false;
    if (errno != EAGAIN) throw SocketError("sendmsg", errno);
    std::array<pollfd, 2> wanted{pollfd{socket(), POLLIN | POLLOUT, 0}, pollfd{errors(), POLLIN, 0}};
    poll(wanted.data(), errors_ended_ ? 1 : 2, kPauseMs);
    Pull();
    PullErrors();
  }
  return true;
}

std::optional<std::size_t> Link::Length() const {
  if (end_ - begin_ < kHeader) return std::nullopt;
  const std::size_t length = HeaderAt(input_.data() + begin_) & ((std::uint64_t{1} << 56U) - 1);
  if (end_ - begin_ - kHeader < length) return std::nullopt;
  return length;
}

bool Link::Pull() {
  if (ended_) return false;
  if (begin_ == end_) {
    begin_ = end_ = 0;
    if (input_.size() > kKept) input_ = {};
  }
  std::size_t room = kChunk;
  if (end_ - begin_ >= kHeader) {
    // A large message is read in one piece.
    const std::size_t length = HeaderAt(input_.data() + begin_) & ((std::uint64_t{1} << 56U) - 1);
    room = std::max(room, length + kHeader - std::min(length + kHeader, end_ - begin_));
  }
  if (input_.size() - end_ < room && begin_ > 0) {
    std::memmove(input_.data(), input_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (input_.size() - end_ < room) input_.resize(end_ + room);
  iovec part{input_.data() + end_, input_.size() - end_};
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * kFiles)> control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t size = recvmsg(socket(), &header, MSG_CMSG_CLOEXEC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (size <= 0) {
    ended_ = true;
    return false;
  }
  end_ += static_cast<std::size_t>(size);
  for (File& file : TakeFiles(header)) files_.push_back(std::move(file));
  return true;
}

bool Link::PullErrors() {
  std::array<char, 4096> part{};
  bool some = false;
  while (!errors_ended_) {
    const ssize_t size = read(errors(), part.data(), part.size());
    errors_ended_ = size == 0;
    if (size <= 0) break;
    text_.append(part.data(), static_cast<std::size_t>(size));
    some = true;
  }
  return some;
}

Link::Wait Link::Receive(std::span<const unsigned char>& message, std::chrono::milliseconds limit,
                         const std::function<bool()>& stop) {
  const Clock::time_point start = Clock::now();
  for (bool first = true;; first = false) {
    if (const auto length = Length()) {
      message = {input_.data() + begin_ + kHeader, *length};
      current_.clear();
      for (auto count = HeaderAt(input_.data() + begin_) >> 56U; count > 0 && !files_.empty(); --count) {
        current_.push_back(std::move(files_.front()));
        files_.pop_front();
      }
      begin_ += kHeader + *length;
      return Wait::kMessage;
    }
    if (Pull()) continue;
    if (ended_) return Wait::kEnd;
    const auto waited = Clock::now() - start;
    if (limit.count() == 0) {
      PullErrors();
      return Wait::kNothing;
    }
    if (waited < kSpin) continue;
    if (!first && (stop() || waited >= limit)) return Wait::kNothing;
    std::array<pollfd, 2> wanted{pollfd{socket(), POLLIN, 0}, pollfd{errors(), POLLIN, 0}};
    // Messages that were sent before the text are delivered first.
    const int told = poll(wanted.data(), errors_ended_ ? 1 : 2, kPauseMs);
    if (told > 0 && wanted[0].revents == 0 && PullErrors()) return Wait::kNothing;
  }
}

File Link::TakeFile() {
  if (current_.empty()) return File();
  File file = std::move(current_.front());
  current_.pop_front();
  return file;
}

std::string Link::TakeErrors() {
  PullErrors();
  return std::exchange(text_, {});
}

std::optional<Exit> ExitOf(pid_t process, std::chrono::milliseconds limit) {
  const Clock::time_point start = Clock::now();
  for (;;) {
    siginfo_t facts{};
    if (waitid(P_PID, static_cast<id_t>(process), &facts, WEXITED | WNOHANG | WNOWAIT) != 0 && errno != EINTR)
      return std::nullopt;
    if (facts.si_pid == process)
      return facts.si_code == CLD_EXITED ? Exit{facts.si_status, 0} : Exit{-1, facts.si_status};
    if (Clock::now() - start >= limit) return std::nullopt;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace stridelab::ipc

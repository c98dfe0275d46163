#include "ipc/socket.h"

#include <poll.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace stridelab::ipc {
namespace {

constexpr int kBacklog = 128;

struct Address {
  sockaddr_un address{};
  socklen_t length = 0;
};

Address AddressOf(const std::string& name) {
  Address result;
  result.address.sun_family = AF_UNIX;
  if (name.empty() || name.size() >= sizeof(result.address.sun_path))
    throw SocketError("socket name", EINVAL);
  // A leading NUL makes it a name in the abstract namespace, not a path.
  std::memcpy(&result.address.sun_path[1], name.data(), name.size());
  result.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
  return result;
}

File MakeSocket() {
  File socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket.open()) throw SocketError("socket", errno);
  return socket;
}

const sockaddr* Generic(const Address& address) {
  return reinterpret_cast<const sockaddr*>(&address.address);
}

/** Room for the descriptors of one message. */
using Control = std::array<char, CMSG_SPACE(sizeof(int) * kMostDescriptors)>;

}  // namespace

SocketError::SocketError(const std::string& what, int code)
    : text_(what + ": " + std::strerror(code)), code_(code) {}

void AttachFiles(msghdr& message, void* control, const std::vector<int>& descriptors) {
  const std::size_t size = sizeof(int) * descriptors.size();
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(size);
  cmsghdr* rights = CMSG_FIRSTHDR(&message);
  rights->cmsg_level = SOL_SOCKET;
  rights->cmsg_type = SCM_RIGHTS;
  rights->cmsg_len = CMSG_LEN(size);
  std::memcpy(CMSG_DATA(rights), descriptors.data(), size);
}

std::vector<File> TakeFiles(msghdr& message) {
  std::vector<File> files;
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr; part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int descriptor = -1;
      std::memcpy(&descriptor, CMSG_DATA(part) + index * sizeof(int), sizeof(int));
      files.emplace_back(descriptor);
    }
  }
  return files;
}

File Listen(const std::string& name) {
  const Address address = AddressOf(name);
  File socket = MakeSocket();
  if (bind(socket.descriptor(), Generic(address), address.length) != 0) throw SocketError("bind", errno);
  if (listen(socket.descriptor(), kBacklog) != 0) throw SocketError("listen", errno);
  return socket;
}

File Connect(const std::string& name) {
  const Address address = AddressOf(name);
  File socket = MakeSocket();
  if (connect(socket.descriptor(), Generic(address), address.length) != 0)
    throw SocketError("connect", errno);
  return socket;
}

File Accept(int listener) {
  File socket(accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool nobody = errno == EAGAIN || errno == EINTR || errno == ECONNABORTED;
  if (!socket.open() && !nobody) throw SocketError("accept", errno);
  return socket;
}

Peer PeerOf(int socket) {
  ucred credentials{};
  socklen_t length = sizeof(credentials);
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &length) != 0)
    throw SocketError("SO_PEERCRED", errno);
  return {credentials.pid, credentials.uid};
}

bool Send(int socket, const unsigned char* bytes, std::size_t count, const std::vector<int>& descriptors) {
  iovec part{const_cast<unsigned char*>(bytes), count};
  alignas(cmsghdr) Control control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!descriptors.empty()) AttachFiles(header, control.data(), descriptors);
  while (sendmsg(socket, &header, MSG_NOSIGNAL) < 0) {
    if (errno == EINTR) continue;
    if (errno == EPIPE || errno == ECONNRESET || errno == ENOTCONN) return false;
    throw SocketError("sendmsg", errno);
  }
  return true;
}

Reception Receive(int socket, Message& message) {
  const ssize_t size = recv(socket, nullptr, 0, MSG_PEEK | MSG_TRUNC);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return Reception::kNothing;
  // Messages are never empty, so zero bytes mean that the other end closed.
  if (size <= 0) return Reception::kEnd;
  message.bytes.resize(static_cast<std::size_t>(size));
  iovec part{message.bytes.data(), message.bytes.size()};
  alignas(cmsghdr) Control control{};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control.data();
  header.msg_controllen = control.size();
  const ssize_t received = recvmsg(socket, &header, MSG_CMSG_CLOEXEC);
  if (received <= 0) return Reception::kEnd;
  message.bytes.resize(static_cast<std::size_t>(received));
  message.files = TakeFiles(header);
  return Reception::kMessage;
}

bool IsAlive(int socket) {
  pollfd state{socket, POLLRDHUP, 0};
  return poll(&state, 1, 0) <= 0 || (state.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

}  // namespace stridelab::ipc

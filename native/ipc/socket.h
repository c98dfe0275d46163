// Sockets that carry messages and open files between processes of one machine and one user.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>
#include <string>
#include <vector>

#include "ipc/memory_file.h"

namespace stridelab::ipc {

/** Maximum number of open files in one message. */
inline constexpr std::size_t kMostDescriptors = 4;

struct Peer {
  /** Process id; 0 if it is in a PID namespace that is not visible to this process. */
  pid_t process;
  uid_t user;
};

struct Message {
  std::vector<unsigned char> bytes;
  std::vector<File> files;
};

enum class Reception { kMessage, kNothing, kEnd };

/** The failure of a system call, with a readable message. */
class SocketError : public std::exception {
 public:
  SocketError(const std::string& what, int code);
  const char* what() const noexcept override { return text_.c_str(); }
  int code() const { return code_; }

 private:
  std::string text_;
  int code_;
};

/** Attaches open files to a message; `control` has room for them until it is sent. */
void AttachFiles(msghdr& message, void* control, const std::vector<int>& descriptors);
/** Takes the open files that came with a message. */
std::vector<File> TakeFiles(msghdr& message);

/**
 * Listens on a name in the abstract namespace, which leaves no file behind. Sockets are of type SEQPACKET:
 * each message arrives in one piece, with its files. These calls never block, and throw SocketError.
 */
File Listen(const std::string& name);
File Connect(const std::string& name);
/** Accepts a connection; not open if none is pending. */
File Accept(int listener);
/** Returns the process that created the other end, from the kernel, so it cannot be forged. */
Peer PeerOf(int socket);
/** Sends a message; false if the other end is closed. */
bool Send(int socket, const unsigned char* bytes, std::size_t count, const std::vector<int>& descriptors);
Reception Receive(int socket, Message& message);
/** False once the other end is closed, even if its messages are still unread. */
bool IsAlive(int socket);

}  // namespace stridelab::ipc

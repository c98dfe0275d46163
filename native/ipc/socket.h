// Sockets between processes of one machine and one user, over which messages and open files travel.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "ipc/memory_file.h"

namespace stridelab::ipc {

/** Most open files in one message. */
inline constexpr std::size_t kMostDescriptors = 4;

struct Peer {
  /** 0 where it lies in a process namespace that this process does not see. */
  pid_t process;
  uid_t user;
};

struct Message {
  std::vector<unsigned char> bytes;
  std::vector<File> files;
};

enum class Reception { kMessage, kNothing, kEnd };

/** Why a call of the system failed, for people. */
class SocketError : public std::exception {
 public:
  SocketError(const std::string& what, int code);
  const char* what() const noexcept override { return text_.c_str(); }
  int code() const { return code_; }

 private:
  std::string text_;
  int code_;
};

/**
 * Sockets of the abstract namespace, which leave nothing behind when their process dies: of kind SEQPACKET,
 * so that each message arrives whole, with its files. None of the calls blocks. They throw SocketError.
 */
File Listen(const std::string& name);
File Connect(const std::string& name);
/** Not open where nobody is waiting. */
File Accept(int listener);
/** Who made the other end, as the system knows it: nobody can pretend. */
Peer PeerOf(int socket);
/** False where the other end is gone. */
bool Send(int socket, const unsigned char* bytes, std::size_t count, const std::vector<int>& descriptors);
Reception Receive(int socket, Message& message);
/** False once the other end is closed, also while messages of it wait. */
bool IsAlive(int socket);

}  // namespace stridelab::ipc

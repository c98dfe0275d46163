// A connection to a child process: messages of any size with open files attached, and the child's standard
// error.
#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ipc/memory_file.h"

namespace stridelab::ipc {

/** The ends that the other process inherits. */
struct LinkEnds {
  File socket;
  File errors;
};

/**
 * The connection. A message is an 8-byte header and its bytes; the header has their count in the low 7 bytes
 * and the number of files in the highest. Send keeps reading while the other process does not read, so that
 * neither blocks the other. Not thread-safe.
 */
class Link {
 public:
  /** Opens a non-blocking socket and error pipe; `theirs` receives the other ends. Throws SocketError. */
  static Link Open(LinkEnds& theirs);
  /**
   * Takes over a socket that this process inherited from its parent, whose standard error is its own. The
   * kernel kills this process when the parent's thread that started it exits. Throws SocketError.
   */
  static Link Inherit(int descriptor);

  int socket() const { return socket_.descriptor(); }
  /** Negative for an inherited socket. */
  int errors() const { return errors_.descriptor(); }

  /** Sends a message; blocks until it is written. False if the other end is closed. Throws SocketError. */
  bool Send(const unsigned char* bytes, std::size_t count, const std::vector<int>& descriptors);

  enum class Wait { kMessage, kNothing, kEnd };
  /**
   * Receives the next message, which is valid until the next call. Returns without one after `limit`, soon
   * after `stop` returns true, or when error text arrived.
   */
  Wait Receive(std::span<const unsigned char>& message, std::chrono::milliseconds limit,
               const std::function<bool()>& stop);
  /** False once the other end of the error pipe is closed. */
  bool errors_open() const { return !errors_ended_; }
  /** True if a complete message has already been read. */
  bool Pending() const { return Length().has_value(); }
  /** Takes the next file of the last message; not open if none is left. The next Receive closes the rest. */
  File TakeFile();
  /** Takes the error text that arrived since the last call. */
  std::string TakeErrors();

 private:
  Link(File socket, File errors) : socket_(std::move(socket)), errors_(std::move(errors)) {}
  /** Bytes of the first message, if it is complete. */
  std::optional<std::size_t> Length() const;
  /** Reads available bytes; false if there were none. */
  bool Pull();
  bool PullErrors();

  File socket_;
  File errors_;
  /** Input buffer; unprocessed bytes are from `begin_` to `end_`. */
  std::vector<unsigned char> input_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  /** Files of messages that were not returned yet. */
  std::deque<File> files_;
  std::deque<File> current_;
  std::string text_;
  bool ended_ = false;
  bool errors_ended_ = false;
};

/** Exit status of a child process. */
struct Exit {
  /** Exit code; -1 if a signal terminated the process. */
  int code;
  /** The signal that terminated the process; 0 if none did. */
  int signal;
};
/** Waits for a child to exit, without reaping it; nullopt after `limit` or if it is not a child. */
std::optional<Exit> ExitOf(pid_t process, std::chrono::milliseconds limit);

}  // namespace stridelab::ipc

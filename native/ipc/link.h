// A connection to a process that this one started: whole messages of any size with open files beside them,
// and the text of that process's standard error.
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
 * Messages are bytes behind eight more: their count, and in the highest of them the number of files. What the
 * other process writes is always read on, also while it does not read, so that neither waits for the other.
 * One thread.
 */
class Link {
 public:
  /** Its socket and its pipe of errors, neither of which blocks, and the other ends. Throws SocketError. */
  static Link Open(LinkEnds& theirs);

  int socket() const { return socket_.descriptor(); }
  int errors() const { return errors_.descriptor(); }

  /** Waits until all of it is written. False where the other end is closed. Throws SocketError. */
  bool Send(const unsigned char* bytes, std::size_t count, const std::vector<int>& descriptors);

  enum class Wait { kMessage, kNothing, kEnd };
  /**
   * The next message, which stays until the next call. Ends without one after `limit`, soon after `stop` says
   * so, and when text of errors came.
   */
  Wait Receive(std::span<const unsigned char>& message, std::chrono::milliseconds limit,
               const std::function<bool()>& stop);
  /** False once nobody can write there any more. */
  bool errors_open() const { return !errors_ended_; }
  /** Whether a message is here already. */
  bool Pending() const { return Length().has_value(); }
  /** The next file of the message received last; not open where there is none. What is left ends with it. */
  File TakeFile();
  /** What came of errors since the last call. */
  std::string TakeErrors();

 private:
  Link(File socket, File errors) : socket_(std::move(socket)), errors_(std::move(errors)) {}
  /** Bytes of the first message, where it is complete. */
  std::optional<std::size_t> Length() const;
  /** Reads what is there. False where it was nothing. */
  bool Pull();
  bool PullErrors();

  File socket_;
  File errors_;
  /** What was read, from `begin_` to `end_`. */
  std::vector<unsigned char> input_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  /** Of messages that are still to be received. */
  std::deque<File> files_;
  std::deque<File> current_;
  std::string text_;
  bool ended_ = false;
  bool errors_ended_ = false;
};

/** How a child of this process ended. */
struct Exit {
  /** -1 where a signal ended it. */
  int code;
  /** 0 where none did. */
  int signal;
};
/** Leaves the child to whoever waits for it. Nothing where it has not ended in time, or is none of ours. */
std::optional<Exit> ExitOf(pid_t process, std::chrono::milliseconds limit);

}  // namespace stridelab::ipc

// The interpreter of the process, of which there is at most one.
#pragma once

#include <string>
#include <vector>

#include "python/api.h"

namespace stridelab::python {

struct StartRequest {
  /** Path of libpython. */
  std::string library;
  /** As on a command line: the interpreter's path, from which it finds its environment, then options. */
  std::vector<std::string> arguments;
};

/**
 * Opens the library and starts the interpreter, without its signal handlers; afterwards the calling thread
 * does not hold the GIL. Does nothing if that interpreter is already running. Throws core::Error of kind
 * `unavailable`; the process continues without Python, or with the one that it has. All environments that use
 * it must be on one thread, which Python regards as its main thread.
 */
void Start(const StartRequest& request);

/** One environment's use of the interpreter, from Start until the environment ends. */
class Stay {
 public:
  Stay();
  ~Stay();
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
};

std::string Version();

}  // namespace stridelab::python

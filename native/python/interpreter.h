// The one interpreter of the process.
#pragma once

#include <string>
#include <vector>

#include "python/api.h"

namespace stridelab::python {

struct StartRequest {
  /** libpython. */
  std::string library;
  /** As on a command line: the interpreter's path, by which it finds its environment, then options. */
  std::vector<std::string> arguments;
};

/**
 * Opens the library and starts the interpreter, without signal handlers of its own; the calling thread does
 * not hold the GIL afterwards. Does nothing where that one runs already. Throws core::Error of kind
 * `unavailable`: the process goes on without Python, or with the one that it has. All environments that use
 * it are of one thread, because Python takes that one for its main thread.
 */
void Start(const StartRequest& request);

/** One environment's use of the interpreter, from Start to the environment's end. */
class Stay {
 public:
  Stay();
  ~Stay();
  Stay(const Stay&) = delete;
  Stay& operator=(const Stay&) = delete;
};

bool IsRunning();
std::string Version();

}  // namespace stridelab::python

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
 * not hold the GIL afterwards. Does nothing where it runs already. Throws core::Error of kind `unavailable`:
 * the process goes on without Python.
 */
void Start(const StartRequest& request);

bool IsRunning();
std::string Version();

}  // namespace stridelab::python

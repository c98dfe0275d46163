// Threads that call into Python for JavaScript.
#pragma once

#include <functional>

namespace stridelab::python {

/**
 * Runs `job`, which takes the GIL itself, on an idle thread or a new one. libuv's threads are few, and the
 * process waits for them when it ends, indefinitely if Python does not return.
 */
void RunOnThread(std::function<void()> job);

}  // namespace stridelab::python

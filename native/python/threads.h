// Threads that call into Python for JavaScript.
#pragma once

#include <functional>

namespace stridelab::python {

/**
 * Runs `job`, which takes the GIL by itself, on a thread that has nothing to do, or a new one. Not libuv's:
 * those are few, and the process waits for them when it ends, for ever where Python does not come back.
 */
void RunOnThread(std::function<void()> job);

}  // namespace stridelab::python

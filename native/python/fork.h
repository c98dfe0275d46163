// Children that Python code forks. JavaScript cannot continue in them: its other threads do not exist there.
#pragma once

namespace stridelab::python {

/** Makes IsForkedChild return true in later children of this process. */
void NoticeForks();

bool IsForkedChild();

/** Ends a child that would return into JavaScript, with a message, after flushing its output. The GIL is
 * held. */
[[noreturn]] void EndForkedChild();

}  // namespace stridelab::python

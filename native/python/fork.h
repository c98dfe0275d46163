// Children that Python code forks, in which JavaScript cannot go on: its other threads are not there.
#pragma once

namespace stridelab::python {

/** From now on children of this process know that they are. */
void NoticeForks();

bool IsForkedChild();

/** Ends a child that would return into JavaScript, saying so; what it printed is written out. The GIL is
 * held. */
[[noreturn]] void EndForkedChild();

}  // namespace stridelab::python

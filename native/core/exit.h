// The end of the process, from when on the driver may be gone, and its forks, in which the driver does not
// work.
#pragma once

namespace stridelab::core {

/** Notes the end when it comes. Called once a driver is open, so that the note is made before the driver
 * ends. */
void WatchForExit();

/** True once the process is ending: memory, streams and events are left to the driver. */
bool ProcessIsExiting();

/** True in a child that was forked after WatchForExit. */
bool ProcessWasForked();

}  // namespace stridelab::core

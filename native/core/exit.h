// The end of the process: from then on the driver may be gone, and calling it may crash.
#pragma once

namespace stridelab::core {

/** Notes the end when it comes. Called once a driver is open, so that the note is made before the driver
 * ends. */
void WatchForExit();

/** True once the process is ending: memory, streams and events are left to the driver. */
bool ProcessIsExiting();

}  // namespace stridelab::core

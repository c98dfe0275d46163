// Detects the exit of the process, during which the driver may already be shut down, and forked children, in
// which the driver does not work.
#pragma once

namespace stridelab::core {

/** Registers the handlers for exit and fork. Called after a driver is opened, because exit handlers run in
 * reverse order: this one runs before the driver's. */
void WatchForExit();

/** True once the process is exiting: memory, streams and events are left to the driver. */
bool ProcessIsExiting();

/** True in a child that was forked after WatchForExit. */
bool ProcessWasForked();

}  // namespace stridelab::core

// The recorder of the trace: any thread may use it. It calls only the driver and event pools.
#pragma once

#include "core/trace_clock.h"

namespace stridelab::core::trace {

/** Records the events before the work; false if that device is not traced. */
bool Begin(TimedRecord& record, Device& device, driver::CUstream stream);
/** Begins a record without device times; false if its device is not traced. */
bool BeginUntimed(TimedRecord& record);
/** Records the event after the work. */
void End(TimedRecord& record, Device& device, driver::CUstream stream);
/** Adds a record, unless it was begun before the latest Start or Clear. */
void Add(TimedRecord record);

}  // namespace stridelab::core::trace

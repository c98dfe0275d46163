// Synchronization before Python reads host memory.
#pragma once

#include "dlpack/order.h"
#include "python/array_object.h"
#include "python/gil.h"

namespace stridelab::python {

/** Waits, without the GIL, for the work that must complete before the host uses the array. */
inline void WaitForHost(const ExportedArray& array) {
  // Work on a simulated device is complete on submission, or deferred until requested: releasing the GIL
  // would not pay.
  if (array.view->description().device.device_type == kDLCPU) {
    dlpack::MakeReady(*array.view, *array.storage);
    return;
  }
  const GilPause pause;
  dlpack::MakeReady(*array.view, *array.storage);
}

}  // namespace stridelab::python

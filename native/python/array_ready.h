// Host memory is ready before Python reads it.
#pragma once

#include "dlpack/order.h"
#include "python/array_object.h"
#include "python/gil.h"

namespace stridelab::python {

/** Waits, without the GIL, for the work that a user of the array on the host has to wait for. */
inline void WaitForHost(const ExportedArray& array) {
  // Work on a simulated device is done as it is submitted, or held until somebody asks: no wait is worth a
  // pause.
  if (array.view->description().device.device_type == kDLCPU) {
    dlpack::MakeReady(*array.view, *array.storage);
    return;
  }
  const GilPause pause;
  dlpack::MakeReady(*array.view, *array.storage);
}

}  // namespace stridelab::python

// Records of exports that Python requests, for recorders (dlpack/export_log.h).
#pragma once

#include <memory>
#include <string>

#include "dlpack/export_log.h"
#include "python/array_object.h"

namespace stridelab::python {

/** Makes the record of an export to Python code; null while exports are not recorded. The GIL is held. */
std::shared_ptr<dlpack::ExportRecord> RecordOfQuestion(dlpack::Way way, const ExportedArray& array,
                                                       const dlpack::Request& request = {});

/** Makes the record of a read through an array interface or the buffer protocol; null while not recording. */
std::shared_ptr<dlpack::ExportRecord> RecordOfRead(dlpack::Way way, const ExportedArray& array);

/** Returns the name of the module whose code is running, empty if there is none. The GIL is held. */
std::string RunningModule();

/** Returns the text of the current error for dlpack::Recorded; a Python exception stays set. */
std::string RefusalByPython();

}  // namespace stridelab::python

// What Python asks of our arrays, for those who look (dlpack/export_log.h).
#pragma once

#include <memory>
#include <string>

#include "dlpack/export_log.h"
#include "python/array_object.h"

namespace stridelab::python {

/** The record of a question that Python's code asks now; null while nobody looks. The GIL is held. */
std::shared_ptr<dlpack::ExportRecord> RecordOfQuestion(dlpack::Way way, const ExportedArray& array,
                                                       const dlpack::Request& request = {});

/** The record of a read by an array interface or the buffer protocol; null while nobody records. */
std::shared_ptr<dlpack::ExportRecord> RecordOfRead(dlpack::Way way, const ExportedArray& array);

/** The name of the module whose code runs now, empty for none. The GIL is held. */
std::string RunningModule();

/** For dlpack::Recorded: the text of an exception of Python's too, which stays set. */
std::string RefusalByPython();

}  // namespace stridelab::python

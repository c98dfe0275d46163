// The objects that make up NativeBinding (src/native/binding.ts), each a table in a separate file.
#pragma once

#include "binding/entry.h"

namespace stridelab::binding {

extern const Functions kChannelCalls;
extern const Functions kCollectiveCalls;
extern const Functions kComputeCalls;
extern const Functions kCublasCalls;
extern const Functions kDlpackCalls;
extern const Functions kExportLogCalls;
extern const Functions kHazardCalls;
extern const Functions kKernelCalls;
extern const Functions kKeyedCalls;
extern const Functions kLibraryMemoryCalls;
extern const Functions kLinkCalls;
extern const Functions kNvrtcCalls;
extern const Functions kPythonArrayCalls;
extern const Functions kPythonCalls;
extern const Functions kPythonImportCalls;
extern const Functions kPythonInterruptCalls;
extern const Functions kRawMemoryCalls;
extern const Functions kRecordingCalls;
extern const Functions kSharingCalls;
extern const Functions kSimulatedCalls;
extern const Functions kTraceCalls;
extern const Functions kWaitCalls;

}  // namespace stridelab::binding

// `__dlpack__` and `__dlpack_device__` of arrays (rules 107 to 172).
#pragma once

#include "include/stridelab.h"
#include "python/array_object.h"
#include "python/object_layout.h"

namespace stridelab::python {

/** Names of capsules; consumers change them to those that begin with `used_` (rule 164). */
inline constexpr const char* kUnversionedName = "dltensor";
inline constexpr const char* kVersionedName = "dltensor_versioned";
inline constexpr const char* kUsedVersionedName = "used_dltensor_versioned";

/** The two methods. */
Method DlpackMethod();
Method DlpackDeviceMethod();

/** The exception for copies that were forbidden but needed: a BufferError and a ValueError (rule 144).
 * Raised where Python refuses to make it. */
void PrepareDlpack();

/** A capsule that deletes the tensor unless a consumer takes it (rule 167). Takes the tensor in any case. */
Owned CapsuleOf(void* managed, bool versioned);

/** The capsule that a function of ArrayHome gives; BufferError with the text that it gives instead. */
Owned CapsuleByJavaScript(PyObject* function, const Owned& arguments);

/** BufferError for an array with a mask and a dtype that DLPack has no form for (rule 131). */
void RequireForm(const ExportedArray& array);

}  // namespace stridelab::python

// `__dlpack__` and `__dlpack_device__` of arrays (rules 107 to 172).
#pragma once

#include "include/stridelab.h"
#include "python/array_object.h"
#include "python/object_layout.h"

namespace stridelab::python {

/** Names of capsules; a consumer renames a capsule to the one that begins with `used_` (rule 164). */
inline constexpr const char* kUnversionedName = "dltensor";
inline constexpr const char* kVersionedName = "dltensor_versioned";
inline constexpr const char* kUsedVersionedName = "used_dltensor_versioned";

/** The two methods. */
Method DlpackMethod();
Method DlpackDeviceMethod();

/** Makes the exception for forbidden copies, both a BufferError and a ValueError (rule 144). Throws Raised if
 * Python refuses. */
void PrepareDlpack();

/** Makes a capsule that deletes the tensor unless a consumer takes it (rule 167). Always consumes `managed`.
 */
Owned CapsuleOf(void* managed, bool versioned);

/** Returns the capsule that a function of ArrayHome makes; BufferError with its message if it returns one. */
Owned CapsuleByJavaScript(PyObject* function, const Owned& arguments);

/** BufferError for an array with a mask, or with a dtype that DLPack cannot represent (rule 131). */
void RequireForm(const ExportedArray& array);

}  // namespace stridelab::python

// The members of the array types (array_object.cc), in one file for each protocol.
#pragma once

#include <memory>
#include <string>

#include "dlpack/export_log.h"
#include "python/array_object.h"
#include "python/buffer.h"
#include "python/exchange_table.h"
#include "python/object_layout.h"

namespace stridelab::python {

// array_attributes.cc

/** Returns the attributes of HostArray or CudaArray; the last entry has no name. */
Attribute* AttributesOfArrays(bool host);

PyObject* ReprOfArray(PyObject* self);
/** Returns the first dimension; TypeError for a 0-d array. */
Size LengthOfArray(PyObject* self);

// array_interfaces.cc

/**
 * Returns `__array_interface__`; the data is ready by then. AttributeError for a dtype without a typestr
 * (rules 14, 44).
 */
Owned ArrayInterface(const ExportedArray& array);

/**
 * Returns `__cuda_array_interface__`, like the JavaScript property: all pending work is joined into its
 * stream, on the device (rules 66 to 71, 78 to 84); strides are None if C-contiguous (rule 19). Each read is
 * a new snapshot. AttributeError for a dtype without a typestr (rules 14, 44).
 */
Owned CudaArrayInterface(const ExportedArray& array);

// array_buffer.cc

/**
 * Implements bf_getbuffer for every kind of request; BufferError for a writable buffer of a read-only array,
 * a layout that the consumer does not accept, and a requested format that the dtype lacks. The view keeps the
 * object alive, or a loan of it if the access is recorded; the object keeps the memory alive.
 */
int GetArrayBuffer(PyObject* self, BufferView* out, int flags);

/** Makes the type of loans at the first call. The GIL is held. Throws Raised if Python refuses. */
void PrepareLoans();

/** Waits, without the GIL, for the work that must complete before the host uses the array. */
void WaitForHost(const ExportedArray& array);

// array_dlpack.cc

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

// dlpack_request.cc

/** Reads the arguments of `__dlpack__`, a vectorcall (rules 142 to 155): keywords only. TypeError or
 * ValueError for anything else. */
dlpack::Request ReadDlpackRequest(PyObject* const* values, Size positional, PyObject* names);

// export_record.cc: records of exports that Python requests, for recorders (dlpack/export_log.h).

/** Makes the record of an export to Python code; null while exports are not recorded. The GIL is held. */
std::shared_ptr<dlpack::ExportRecord> RecordOfQuestion(dlpack::Way way, const ExportedArray& array,
                                                       const dlpack::Request& request = {});

/** Makes the record of a read through an array interface or the buffer protocol; null while not recording. */
std::shared_ptr<dlpack::ExportRecord> RecordOfRead(dlpack::Way way, const ExportedArray& array);

/** Returns the name of the module whose code is running, empty if there is none. The GIL is held. */
std::string RunningModule();

/** Returns the text of the current error for dlpack::Recorded; a Python exception stays set. */
std::string RefusalByPython();

// array_table.cc

/** Returns the static table of both types, of DLPack 1.3. */
ExchangeTable* ArrayExchangeTable();

// array_libraries.cc

/** Returns `dtype`: NumPy's object if NumPy is loaded and has one, since it accepts no other; else the name.
 */
Owned DtypeOf(const ExportedArray& array);

/**
 * Implements `__array__`, which NumPy calls if no protocol worked, before it makes a 0-d object array:
 * TypeError with a remedy for device memory and for a dtype without a typestr; otherwise the result of
 * numpy.array.
 */
PyObject* ArrayForNumPy(PyObject* self, PyObject* arguments, PyObject* keywords);

/**
 * Returns `jax.dlpack.from_dlpack(self)`, as `__jax_array__`. `jax.numpy.asarray` prefers it to
 * `__cuda_array_interface__`, for which JAX ignores streams 1 and 2, fails to find other streams, and does
 * not keep the owner alive.
 */
PyObject* JaxArray(PyObject* self, PyObject*);

}  // namespace stridelab::python

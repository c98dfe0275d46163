// Import of a Python object's DLPack tensor, through the exchange table of its class or `__dlpack__` (rules
// 141 to 176).
#pragma once

#include <cstdint>
#include <optional>

#include "binding/python_values.h"
#include "dlpack/owned_tensor.h"
#include "python/owned.h"
#include "python/producer.h"
#include "python/raise.h"

namespace stridelab::binding {

enum class CopyWish { kIfNeeded, kAlways, kNever };

struct TensorRequest {
  /** The consumer's stream, for memory of CUDA. */
  std::uint64_t stream;
  CopyWish copy;
};

/** A stream of a library, and the object that destroys it when released; null if the library keeps it. */
struct ProducerStream {
  std::uint64_t handle = 0;
  python::Owned object;
};

struct ProducedTensor {
  dlpack::OwnedTensor tensor;
  /** The stream that the producer's work is on, or is ordered before; 0 if nothing is pending. */
  std::uint64_t stream;
  /** The stream on which the producer continues to work; 0 if unknown. */
  ProducerStream producer;
};

/**
 * Throws kind `buffer` for a PyTorch tensor with gradients, lazy conjugation or lazy negation, which neither
 * a DLPack struct nor the table can represent (rule 158).
 */
void RefuseLazyTensor(python::PyObject* object, const python::Producer& producer, DLDataType dtype);

/**
 * Returns the stream on which a library currently submits work for a CUDA device: from its table, or CuPy's
 * function. 0 for other devices, and if unknown. Throws Raised.
 */
ProducerStream CurrentStream(const python::Producer& producer, DLDevice device);

/** Imports through the table, which the class must have. Throws Raised if the library raises. */
ProducedTensor TensorByTable(python::PyObject* object, const python::Producer& producer);

/**
 * Imports with the two methods, or from a bare capsule; nullopt if the object is not a capsule and lacks
 * them. Throws Raised if they raise, kind `buffer` if they return a wrong value.
 */
std::optional<ProducedTensor> TensorByMethod(python::PyObject* object, const python::Producer& producer,
                                             const TensorRequest& request);

/**
 * Returns true if the tensor's strides match those of its object: CuPy and Warp round byte strides down to
 * whole elements (rule 120; defect 9). Their objects have strides in bytes.
 */
bool StepsAsObject(python::PyObject* object, const python::Producer& producer, const DLTensor& tensor);

/** Runs code that reads the tensor's object. If that raises, deletes the tensor first: its deleter may be
 * Python code, which must run with no exception set. */
template <typename Ask>
auto Asking(dlpack::OwnedTensor& tensor, Ask ask) {
  try {
    return ask();
  } catch (const Raised&) {
    const python::ExceptionAside aside;
    tensor.Delete();
    throw;
  }
}

}  // namespace stridelab::binding

// A DLPack tensor of a Python object, by the exchange table of its class or by `__dlpack__` (rules 141 to
// 176).
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

/** A stream of a library, and the object that destroys it when it goes; null where the library keeps it. */
struct ProducerStream {
  std::uint64_t handle = 0;
  python::Owned object;
};

struct ProducedTensor {
  dlpack::OwnedTensor tensor;
  /** The stream that the producer's work is on, or was ordered before; 0 where nothing is pending. */
  std::uint64_t stream;
  /** The stream that the producer goes on to work on; 0 where nothing tells. */
  ProducerStream producer;
};

/**
 * Refuses what a tensor of PyTorch keeps beside its memory: gradients, lazy conjugation and negation, of
 * which a DLPack struct tells nothing and the table says nothing either (rule 158). Throws kind `buffer`.
 */
void RefuseLazyTensor(python::PyObject* object, const python::Producer& producer, DLDataType dtype);

/**
 * The stream that a library's work on a CUDA device goes to now: by its table, or CuPy's by its own function.
 * 0 for other devices, and where nothing tells. Throws PythonFailure.
 */
ProducerStream CurrentStream(const python::Producer& producer, DLDevice device);

/** By the table, which the class must have. Throws PythonFailure with what the library raised. */
ProducedTensor TensorByTable(python::PyObject* object, const python::Producer& producer);

/**
 * By the two methods, or of a bare capsule; nothing where the object is and has none of them. What they raise
 * is PythonFailure; kind `buffer` for what they should not have given.
 */
std::optional<ProducedTensor> TensorByMethod(python::PyObject* object, const python::Producer& producer,
                                             const TensorRequest& request);

/**
 * Whether the tensor steps as its object says: CuPy and Warp round byte strides down to whole elements (rule
 * 120; defect 9). Their objects count strides in bytes.
 */
bool StepsAsObject(python::PyObject* object, const python::Producer& producer, const DLTensor& tensor);

/** Runs what asks a tensor's object. Where that raises, the tensor goes first: its deleter may be Python's
 * code, which runs with no exception set. */
template <typename Ask>
auto Asking(dlpack::OwnedTensor& tensor, Ask ask) {
  try {
    return ask();
  } catch (const PythonFailure&) {
    const python::ExceptionAside aside;
    tensor.Delete();
    throw;
  }
}

}  // namespace stridelab::binding

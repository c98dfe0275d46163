// Arrays of this library as Python objects: the types stridelab.HostArray and stridelab.CudaArray.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <thread>

#include "core/storage.h"
#include "dlpack/array_view.h"
#include "python/element_type.h"
#include "python/owned.h"

namespace stridelab::python {

/** What an environment of JavaScript does for the arrays that it gave to Python. */
struct ArrayHome {
  /** Python callables over functions of JavaScript, which raise RuntimeError once the environment has ended.
   */
  PyObject* copy = nullptr;
  PyObject* allocate = nullptr;
  std::thread::id thread;
  /** Of exported array interfaces: version, and whether they name a stream (rules 12, 78). */
  int version = 3;
  bool names_stream = true;
  std::atomic<bool> ended = false;

  ArrayHome() = default;
  ~ArrayHome();
  ArrayHome(const ArrayHome&) = delete;
  ArrayHome& operator=(const ArrayHome&) = delete;
};

/** An array in Python's hands. Keeps the memory, whatever becomes of JavaScript's array. */
struct ExportedArray {
  std::shared_ptr<core::Storage> storage;
  std::shared_ptr<dlpack::ArrayView> view;
  std::shared_ptr<const ElementType> element;
  /** Null for an array that no environment has seen. */
  std::shared_ptr<const ArrayHome> home;
  /** By which the binding finds JavaScript's array; null where there was none. */
  std::shared_ptr<const void> origin;
  /** Whether the memory is that of an array of JAX, which is never written. */
  bool of_jax = false;
  /** Another such object, null where all elements are valid (rule 49). */
  Owned mask;
  /** Why it cannot be said without its mask; empty where there is none. */
  std::string mask_refusal;
};

/** Makes the types at the first call. The GIL is held. Throws kind `unavailable` where Python refuses. */
void PrepareArrayTypes();

/** A new object; HostArray for memory that the host reads where it lies. Null with an exception set. The GIL
 * is held. */
Owned NewArray(std::unique_ptr<ExportedArray> array);

/** True for the two types. */
bool IsArrayType(const PyObject* type);
/** The array of an object of one of the two types. */
ExportedArray& ArrayOf(PyObject* object);
/** The type of which NewArray makes objects. */
PyObject* ArrayTypeFor(const dlpack::ArrayView& view);

/** Another environment that offers itself for arrays without one; the first that is there serves. */
void OfferHome(const std::shared_ptr<const ArrayHome>& home);
std::shared_ptr<const ArrayHome> AnyHome();

}  // namespace stridelab::python

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

/** The services of a JavaScript environment for the arrays that it exported to Python. */
struct ArrayHome {
  /** Python callables over JavaScript functions, which raise RuntimeError once the environment has ended. */
  PyObject* copy = nullptr;
  PyObject* allocate = nullptr;
  std::thread::id thread;
  /** For exported array interfaces: the version, and whether they name a stream (rules 12, 78). */
  int version = 3;
  bool names_stream = true;
  std::atomic<bool> ended = false;

  ArrayHome() = default;
  ~ArrayHome();
  ArrayHome(const ArrayHome&) = delete;
  ArrayHome& operator=(const ArrayHome&) = delete;
};

/** An array exported to Python. Keeps the memory alive, even after the JavaScript array is freed. */
struct ExportedArray {
  std::shared_ptr<core::Storage> storage;
  std::shared_ptr<dlpack::ArrayView> view;
  std::shared_ptr<const ElementType> element;
  /** Null for an array that was in no environment. */
  std::shared_ptr<const ArrayHome> home;
  /** Leads the binding to the JavaScript array; null if there was none. */
  std::shared_ptr<const void> origin;
  /** True if the memory belongs to a JAX array, which must never be written. */
  bool of_jax = false;
  /** The mask, another array object; null if all elements are valid (rule 49). */
  Owned mask;
  /** Why the array cannot be exported without its mask; empty if there is none. */
  std::string mask_refusal;
};

/** Makes the types at the first call. The GIL is held. Throws kind `unavailable` if Python refuses. */
void PrepareArrayTypes();

/** Makes an object: a HostArray for memory that the host can read in place. Null with an exception set. The
 * GIL is held. */
Owned NewArray(std::unique_ptr<ExportedArray> array);

/** True if `type` is one of the two types. */
bool IsArrayType(const PyObject* type);
ExportedArray& ArrayOf(PyObject* object);

/** Offers an environment for arrays that have none; AnyHome returns the first that still exists. */
void OfferHome(const std::shared_ptr<const ArrayHome>& home);
std::shared_ptr<const ArrayHome> AnyHome();

}  // namespace stridelab::python

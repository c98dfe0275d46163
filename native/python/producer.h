// The properties of a class whose objects are imported as arrays.
#pragma once

#include <string>

#include "python/exchange_table.h"
#include "python/owned.h"

namespace stridelab::python {

/** Libraries whose arrays describe themselves incompletely or incorrectly. */
enum class Library { kOther, kTorch, kJax, kCupy, kWarp, kNumba };

/** Returns the library's top-level package; empty for kOther. */
const char* NameOf(Library library);

struct Producer {
  /** The table of major version 1; null if the class has none. */
  const ExchangeTable* table;
  /** The library of the array class that this class is or derives from. */
  Library library;
  /**
   * PyTorch's `__dlpack__`, if the class has that one and the table: with stream -1 it leaves the order to its caller, who finds the
   * current stream with the table. Null otherwise.
   */
  PyObject* unordered_dlpack;
};

Producer ProducerOf(PyObject* object);

/**
 * Returns the package of an object's class for display, such as `torch` for torch.Tensor. For a class that is
 * defined in a cell, the package of its base class; empty for built-in classes. The GIL is held.
 */
std::string PackageOf(PyObject* object);

}  // namespace stridelab::python

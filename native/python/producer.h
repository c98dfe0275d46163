// What is known of a class whose objects come in as arrays.
#pragma once

#include <string>

#include "python/exchange_table.h"
#include "python/owned.h"

namespace stridelab::python {

/** Libraries whose arrays do not say everything, or not as they should. */
enum class Library { kOther, kTorch, kJax, kCupy, kWarp, kNumba };

/** The first part of the name of its modules; empty for others. */
const char* NameOf(Library library);

struct Producer {
  /** Of major version 1; null where the class has none. */
  const ExchangeTable* table;
  /** Of the array class that the class is or derives from. */
  Library library;
};

/** Of an object's class. The GIL is held. */
Producer ProducerOf(PyObject* object);

/**
 * The package that an object's class is from, `torch` for torch.Tensor, for people. Of a class that a program
 * derives in its own cells, the package of what it derives from; empty for Python's own classes. The GIL is
 * held.
 */
std::string PackageOf(PyObject* object);

}  // namespace stridelab::python

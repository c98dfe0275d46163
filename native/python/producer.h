// What is known of a class whose objects come in as arrays.
#pragma once

#include <string>

#include "python/exchange_table.h"
#include "python/owned.h"

namespace stridelab::python {

struct Producer {
  /** The class, which is kept so that its address means no other one. */
  Owned type;
  /** Of major version 1; null where the class has none. */
  const ExchangeTable* table = nullptr;
  /** The library of the array class that it is or derives from, `torch`; otherwise that of the class itself.
   */
  std::string library;
};

/** Of an object's class; stays valid until the next call. The GIL is held. */
const Producer& ProducerOf(PyObject* object);

}  // namespace stridelab::python

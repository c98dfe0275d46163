// `__dlpack_c_exchange_api__` of arrays, for consumers in C (rules 173 to 176).
#pragma once

#include "python/exchange_table.h"

namespace stridelab::python {

/** Returns the static table of both types, of DLPack 1.3. */
ExchangeTable* ArrayExchangeTable();

}  // namespace stridelab::python

// `__dlpack_c_exchange_api__`: arrays by function pointers, for consumers in C (rules 173 to 176).
#pragma once

namespace stridelab::python {

/** Name of the capsule that holds the table. */
inline constexpr const char* kExchangeTableName = "dlpack_exchange_api";

/** The table, of DLPack 1.3, static. */
void* ArrayExchangeTable();

}  // namespace stridelab::python

// Validation of a library file: the loader itself crashes on a truncated one.
#pragma once

#include <string>

namespace stridelab::python {

/** Returns what is wrong with a shared library file, with its path; empty if it is intact. */
std::string DamageOfLibrary(const std::string& file);

}  // namespace stridelab::python

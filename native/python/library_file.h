// Whether a file can be loaded: the loader itself crashes on one that is cut off.
#pragma once

#include <string>

namespace stridelab::python {

/** What is wrong with a shared library as a file, with its path; empty where nothing is. */
std::string DamageOfLibrary(const std::string& file);

}  // namespace stridelab::python

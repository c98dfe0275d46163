// libcuda, opened at run time.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "driver/driver_table.h"

namespace stridelab::driver {

/** libcuda could not be opened, or lacks a function; `tried` lists the file names. */
class LibraryUnavailable : public std::runtime_error {
 public:
  LibraryUnavailable(const std::string& message, std::vector<std::string> tried)
      : std::runtime_error(message), tried_(std::move(tried)) {}
  const std::vector<std::string>& tried() const { return tried_; }

 private:
  std::vector<std::string> tried_;
};

/** Minimum CUDA version of the driver, in CUDA's numbering: 11040 is 11.4. */
inline constexpr int kLeastDriverVersion = 11040;

/** Formats a CUDA version number: `11.4` for 11040. */
std::string VersionText(int version);

/** Opens libcuda and fills the table. Throws LibraryUnavailable, also if the driver is older than
 * kLeastDriverVersion. The library is never closed: the driver cannot be unloaded safely. */
DriverTable OpenCudaLibrary();

/** The file names that OpenCudaLibrary tries, in order; only STRIDELAB_LIBCUDA if it is set. */
std::vector<std::string> CudaLibraryNames();

}  // namespace stridelab::driver

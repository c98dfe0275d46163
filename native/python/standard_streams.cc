#include "python/standard_streams.h"

#include <fcntl.h>

namespace stridelab::python {

void InheritStandardStreams() {
  for (int descriptor = 0; descriptor <= 2; ++descriptor) {
    const int flags = fcntl(descriptor, F_GETFD);
    if (flags >= 0) fcntl(descriptor, F_SETFD, flags & ~FD_CLOEXEC);
  }
}

}  // namespace stridelab::python

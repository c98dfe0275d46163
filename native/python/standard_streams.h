// Standard streams of the programs that Python starts.
#pragma once

namespace stridelab::python {

/**
 * Makes the standard streams inheritable. Node sets close-on-exec on them and passes them to its children
 * explicitly. Python's subprocess, `os.system` and C libraries rely on inheritance.
 */
void InheritStandardStreams();

}  // namespace stridelab::python

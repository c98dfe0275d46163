// Standard streams of the programs that Python starts.
#pragma once

namespace stridelab::python {

/**
 * Node marks the streams that it inherited as closed in other programs, and hands them to its own children by
 * hand. Python's subprocess, `os.system` and C libraries count on children having them.
 */
void InheritStandardStreams();

}  // namespace stridelab::python

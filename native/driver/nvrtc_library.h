// NVRTC, the run-time compiler of CUDA C++, opened at run time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "driver/optional_library.h"

namespace stridelab::driver {

using NvrtcProgram = struct _nvrtcProgram*;

/** The functions of nvrtc.h that are called, under the same names. */
struct NvrtcLibrary : OpenedLibrary {
  using OpenedLibrary::OpenedLibrary;

  int major = 0;
  int minor = 0;

  const char* (*nvrtcGetErrorString)(int result) = Find("nvrtcGetErrorString");
  int (*nvrtcVersion)(int* major, int* minor) = Find("nvrtcVersion");
  int (*nvrtcCreateProgram)(NvrtcProgram* program, const char* source, const char* name, int headers,
                            const char* const* header_texts,
                            const char* const* header_names) = Find("nvrtcCreateProgram");
  int (*nvrtcDestroyProgram)(NvrtcProgram* program) = Find("nvrtcDestroyProgram");
  int (*nvrtcAddNameExpression)(NvrtcProgram program,
                                const char* expression) = Find("nvrtcAddNameExpression");
  int (*nvrtcCompileProgram)(NvrtcProgram program, int options,
                             const char* const* texts) = Find("nvrtcCompileProgram");
  int (*nvrtcGetProgramLogSize)(NvrtcProgram program, std::size_t* bytes) = Find("nvrtcGetProgramLogSize");
  int (*nvrtcGetProgramLog)(NvrtcProgram program, char* log) = Find("nvrtcGetProgramLog");
  int (*nvrtcGetLoweredName)(NvrtcProgram program, const char* expression,
                             const char** lowered) = Find("nvrtcGetLoweredName");
  int (*nvrtcGetCUBINSize)(NvrtcProgram program, std::size_t* bytes) = Find("nvrtcGetCUBINSize");
  int (*nvrtcGetCUBIN)(NvrtcProgram program, char* code) = Find("nvrtcGetCUBIN");
  int (*nvrtcGetPTXSize)(NvrtcProgram program, std::size_t* bytes) = Find("nvrtcGetPTXSize");
  int (*nvrtcGetPTX)(NvrtcProgram program, char* code) = Find("nvrtcGetPTX");

  bool Usable() { return complete() && nvrtcVersion(&major, &minor) == 0; }
};

/** Opens the first usable NVRTC of the list; later calls return the same one. Throws LibraryUnavailable. */
const NvrtcLibrary& OpenNvrtc(const std::vector<std::string>& files);

struct CompileRequest {
  std::string source;
  /** The file name that compiler messages show. */
  std::string name;
  std::vector<std::string> options;
  /** C++ names of kernels, such as `scale<float>`, whose lowered names are requested. */
  std::vector<std::string> expressions;
  /** True for PTX instead of a cubin. */
  bool ptx;
};

struct CompileResult {
  bool ok;
  std::string code;
  std::string log;
  std::vector<std::string> lowered;
};

/** Compiles a program, on any thread. For an error in the source, `ok` is false and the log has the
 * compiler's messages. Throws std::runtime_error for other failures. */
CompileResult Compile(const NvrtcLibrary& library, const CompileRequest& request);

}  // namespace stridelab::driver

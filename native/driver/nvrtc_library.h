// NVRTC, the run-time compiler of CUDA C++, opened at run time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stridelab::driver {

using NvrtcProgram = struct _nvrtcProgram*;

/** The functions of nvrtc.h that are called, under the same names. */
struct NvrtcLibrary {
  std::string path;
  int major = 0;
  int minor = 0;

  const char* (*nvrtcGetErrorString)(int result) = nullptr;
  int (*nvrtcVersion)(int* major, int* minor) = nullptr;
  int (*nvrtcCreateProgram)(NvrtcProgram* program, const char* source, const char* name, int headers,
                            const char* const* header_texts, const char* const* header_names) = nullptr;
  int (*nvrtcDestroyProgram)(NvrtcProgram* program) = nullptr;
  int (*nvrtcAddNameExpression)(NvrtcProgram program, const char* expression) = nullptr;
  int (*nvrtcCompileProgram)(NvrtcProgram program, int options, const char* const* texts) = nullptr;
  int (*nvrtcGetProgramLogSize)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  int (*nvrtcGetProgramLog)(NvrtcProgram program, char* log) = nullptr;
  int (*nvrtcGetLoweredName)(NvrtcProgram program, const char* expression, const char** lowered) = nullptr;
  int (*nvrtcGetCUBINSize)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  int (*nvrtcGetCUBIN)(NvrtcProgram program, char* code) = nullptr;
  int (*nvrtcGetPTXSize)(NvrtcProgram program, std::size_t* bytes) = nullptr;
  int (*nvrtcGetPTX)(NvrtcProgram program, char* code) = nullptr;
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

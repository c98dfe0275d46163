// NVRTC, the compiler of CUDA C++ as a library, opened at run time.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace stridelab::driver {

using NvrtcProgram = struct _nvrtcProgram*;

/** The functions of nvrtc.h that are called, by their names there. */
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

/** The first file of the list that is an NVRTC; later calls give the same one. Throws LibraryUnavailable. */
const NvrtcLibrary& OpenNvrtc(const std::vector<std::string>& files);

struct CompileRequest {
  std::string source;
  /** File name in messages. */
  std::string name;
  std::vector<std::string> options;
  /** Kernels by C++ names, such as `scale<float>`, whose lowered names are wanted. */
  std::vector<std::string> expressions;
  /** PTX instead of a cubin. */
  bool ptx;
};

struct CompileResult {
  bool ok;
  std::string code;
  std::string log;
  std::vector<std::string> lowered;
};

/** On any thread. Where the source is at fault `ok` is false and the log says why. Throws std::runtime_error
 * for other failures. */
CompileResult Compile(const NvrtcLibrary& library, const CompileRequest& request);

}  // namespace stridelab::driver

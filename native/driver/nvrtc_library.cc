#include "driver/nvrtc_library.h"

#include <stdexcept>

namespace stridelab::driver {
namespace {

constexpr int kOk = 0;
constexpr int kCompilationFailed = 6;

OptionalLibrary<NvrtcLibrary>& Nvrtc() {
  static auto& library = *new OptionalLibrary<NvrtcLibrary>("NVRTC, the compiler of CUDA C++,", "NVRTC 11.2");
  return library;
}

/** An NVRTC program, destroyed at the end of the scope. */
class Program {
 public:
  Program(const NvrtcLibrary& library, const CompileRequest& request) : library_(library) {
    Check(library.nvrtcCreateProgram(&program_, request.source.c_str(), request.name.c_str(), 0, nullptr,
                                     nullptr),
          "nvrtcCreateProgram");
  }
  ~Program() { library_.nvrtcDestroyProgram(&program_); }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  NvrtcProgram get() const { return program_; }

  void Check(int result, const char* call) const {
    if (result == kOk) return;
    throw std::runtime_error(std::string(call) + " failed: " + library_.nvrtcGetErrorString(result));
  }

  /** Reads a text or binary of the program; NVRTC's size of a text includes the terminating zero. */
  template <typename SizeCall, typename Call>
  std::string Read(SizeCall size_of, Call read, const char* call, bool is_text) const {
    std::size_t bytes = 0;
    Check(size_of(program_, &bytes), call);
    std::string content(bytes, '\0');
    if (bytes > 0) Check(read(program_, content.data()), call);
    if (is_text && !content.empty()) content.pop_back();
    return content;
  }

 private:
  const NvrtcLibrary& library_;
  NvrtcProgram program_ = nullptr;
};

}  // namespace

const NvrtcLibrary& OpenNvrtc(const std::vector<std::string>& files) { return Nvrtc().Open(files); }

CompileResult Compile(const NvrtcLibrary& library, const CompileRequest& request) {
  const Program program(library, request);
  for (const std::string& expression : request.expressions) {
    program.Check(library.nvrtcAddNameExpression(program.get(), expression.c_str()),
                  "nvrtcAddNameExpression");
  }
  std::vector<const char*> options;
  options.reserve(request.options.size());
  for (const std::string& option : request.options) options.push_back(option.c_str());
  const int result =
      library.nvrtcCompileProgram(program.get(), static_cast<int>(options.size()), options.data());
  CompileResult compiled{};
  compiled.log =
      program.Read(library.nvrtcGetProgramLogSize, library.nvrtcGetProgramLog, "nvrtcGetProgramLog", true);
  if (result != kOk && result != kCompilationFailed && compiled.log.empty())
    program.Check(result, "nvrtcCompileProgram");
  if (result != kOk) return compiled;
  compiled.ok = true;
  compiled.code =
      request.ptx ? program.Read(library.nvrtcGetPTXSize, library.nvrtcGetPTX, "nvrtcGetPTX", true)
                  : program.Read(library.nvrtcGetCUBINSize, library.nvrtcGetCUBIN, "nvrtcGetCUBIN", false);
  for (const std::string& expression : request.expressions) {
    const char* lowered = nullptr;
    program.Check(library.nvrtcGetLoweredName(program.get(), expression.c_str(), &lowered),
                  "nvrtcGetLoweredName");
    compiled.lowered.emplace_back(lowered);
  }
  return compiled;
}

}  // namespace stridelab::driver

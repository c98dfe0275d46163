#include <memory>

#include "binding/call.h"
#include "binding/parts.h"
#include "binding/promise_worker.h"
#include "driver/nvrtc_library.h"

namespace stridelab::binding {
using Texts = std::vector<std::string>;

static driver::CompileRequest Convert(const Argument& argument, As<driver::CompileRequest>) {
  const Napi::Object object = Convert(argument, As<Napi::Object>{});
  return {Option<std::string>(object, "source"), Option<std::string>(object, "name"),
          Option<Texts>(object, "options"), Option<Texts>(object, "expressions"),
          object.Get("ptx").ToBoolean()};
}

namespace {

Fields OpenNvrtc(Env env, const Texts& files) {
  const driver::NvrtcLibrary& library = driver::OpenNvrtc(files);
  return Fields(env).Set("path", library.path).Set("major", library.major).Set("minor", library.minor);
}

Fields FieldsOf(Env env, const driver::CompileResult& compiled) {
  return Fields(env)
      .Set("ok", compiled.ok)
      .Set("log", compiled.log)
      .Set("code", Napi::Buffer<char>::Copy(env, compiled.code.data(), compiled.code.size()))
      .Set("lowered", compiled.lowered);
}

driver::CompileResult Run(const driver::NvrtcLibrary& library, const driver::CompileRequest& request) {
  try {
    return driver::Compile(library, request);
  } catch (const std::runtime_error& failure) {
    throw core::Error(core::ErrorKind::kArgument, failure.what());
  }
}

Fields Compile(Env env, const driver::CompileRequest& request) {
  return FieldsOf(env, Run(driver::OpenNvrtc({}), request));
}

Napi::Value CompileAsync(Env env, const driver::CompileRequest& request) {
  const driver::NvrtcLibrary& library = driver::OpenNvrtc({});
  const auto compiled = std::make_shared<driver::CompileResult>();
  return RunAsync(
      env, [&library, compiled, request](const core::InterruptFlag&) { *compiled = Run(library, request); },
      env.Undefined(), [compiled](Napi::Env home) { return Napi::Value(home, FieldsOf({home}, *compiled)); });
}

constexpr Function kNvrtcTable[] = {
    Bind<OpenNvrtc>("open", "files"),
    Bind<Compile>("compile", "request"),
    Bind<CompileAsync, Promised>("compileAsync", "request"),
};

}  // namespace

const Functions kNvrtcCalls = kNvrtcTable;

}  // namespace stridelab::binding

#include <memory>
#include <utility>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "binding/promise_worker.h"
#include "core/error.h"
#include "driver/cuda_library.h"
#include "driver/nvrtc_library.h"

namespace stridelab::binding {
namespace {

std::vector<std::string> ToTexts(Napi::Value value, const char* argument) {
  if (!value.IsArray())
    throw core::Error(core::ErrorKind::kArgument, std::string(argument) + " must be an array of strings");
  const auto list = value.As<Napi::Array>();
  std::vector<std::string> texts;
  texts.reserve(list.Length());
  for (std::uint32_t index = 0; index < list.Length(); ++index)
    texts.push_back(ToText(list.Get(index), argument));
  return texts;
}

const driver::NvrtcLibrary& OpenLibrary(const std::vector<std::string>& files) {
  try {
    return driver::OpenNvrtc(files);
  } catch (const driver::LibraryUnavailable& failure) {
    throw core::Error(failure.what(), failure.tried());
  }
}

Napi::Value Open(const Napi::CallbackInfo& info) {
  const driver::NvrtcLibrary& library = OpenLibrary(ToTexts(info[0], "files"));
  Napi::Object result = Napi::Object::New(info.Env());
  result.Set("path", library.path);
  result.Set("major", library.major);
  result.Set("minor", library.minor);
  return result;
}

driver::CompileRequest ToRequest(Napi::Value value) {
  if (!value.IsObject()) throw core::Error(core::ErrorKind::kArgument, "request must be an object");
  const auto object = value.As<Napi::Object>();
  return {ToText(object.Get("source"), "source"), ToText(object.Get("name"), "name"),
          ToTexts(object.Get("options"), "options"), ToTexts(object.Get("expressions"), "expressions"),
          object.Get("ptx").ToBoolean()};
}

Napi::Value FromResult(Napi::Env env, const driver::CompileResult& compiled) {
  Napi::Object result = Napi::Object::New(env);
  result.Set("ok", compiled.ok);
  result.Set("log", compiled.log);
  result.Set("code", Napi::Buffer<char>::Copy(env, compiled.code.data(), compiled.code.size()));
  Napi::Array lowered = Napi::Array::New(env, compiled.lowered.size());
  for (std::uint32_t index = 0; index < compiled.lowered.size(); ++index)
    lowered.Set(index, compiled.lowered[index]);
  result.Set("lowered", lowered);
  return result;
}

driver::CompileResult Run(const driver::NvrtcLibrary& library, const driver::CompileRequest& request) {
  try {
    return driver::Compile(library, request);
  } catch (const std::runtime_error& failure) {
    throw core::Error(core::ErrorKind::kArgument, failure.what());
  }
}

Napi::Value Compile(const Napi::CallbackInfo& info) {
  return FromResult(info.Env(), Run(OpenLibrary({}), ToRequest(info[0])));
}

Napi::Value CompileAsync(const Napi::CallbackInfo& info) {
  return AsPromise(info.Env(), [&]() -> Napi::Value {
    const driver::NvrtcLibrary& library = OpenLibrary({});
    const auto compiled = std::make_shared<driver::CompileResult>();
    return RunAsync(
        info.Env(),
        [&library, compiled, request = ToRequest(info[0])](const core::InterruptFlag&) {
          *compiled = Run(library, request);
        },
        info.Env().Undefined(), [compiled](Napi::Env env) { return FromResult(env, *compiled); });
  });
}

}  // namespace

Napi::Object DefineNvrtc(Napi::Env env) {
  Napi::Object nvrtc = Napi::Object::New(env);
  nvrtc.Set("open", Entry<Open>(env, "open"));
  nvrtc.Set("compile", Entry<Compile>(env, "compile"));
  nvrtc.Set("compileAsync", Entry<CompileAsync>(env, "compileAsync"));
  return nvrtc;
}

}  // namespace stridelab::binding

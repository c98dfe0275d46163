#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "binding/tagged_object.h"
#include "core/driver.h"
#include "core/error.h"
#include "driver/recording/recording_driver.h"

namespace stridelab::binding {
namespace {

Napi::Value Log(const Napi::CallbackInfo& info) {
  const auto log = driver::recording::Log();
  Napi::Array lines = Napi::Array::New(info.Env(), log.size());
  for (std::uint32_t index = 0; index < log.size(); ++index) lines.Set(index, log[index]);
  return lines;
}

Napi::Value Clear(const Napi::CallbackInfo& info) {
  driver::recording::Clear();
  return info.Env().Undefined();
}

Napi::Value Fail(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) throw core::Error(core::ErrorKind::kArgument, "call must be a string");
  const auto status = static_cast<driver::CUresult>(ToInteger(info[1], "status", 0, INT_MAX));
  const auto times = static_cast<int>(ToInteger(info[2], "times", -1, INT_MAX));
  driver::recording::Fail(info[0].As<Napi::String>(), status, times);
  return info.Env().Undefined();
}

Napi::Value Reset(const Napi::CallbackInfo& info) {
  driver::recording::Reset();
  return info.Env().Undefined();
}

core::Device& RecordingDevice() {
  return *core::Driver::Open(core::DriverKind::kRecording).devices().front();
}

/** A stream that the core knows nothing of, as another library would have made it. */
Napi::Value MakeStream(const Napi::CallbackInfo& info) {
  core::Device& device = RecordingDevice();
  const core::ContextScope scope = device.Enter();
  // Not through the device's table: there may be a layer over it that would know the stream too.
  const driver::DriverTable table = driver::recording::OpenRecordingDriver(0, 1);
  driver::CUstream handle = nullptr;
  core::Check(table, table.cuStreamCreateWithPriority(&handle, driver::kStreamNonBlocking, 0),
              "cuStreamCreateWithPriority");
  return FromAddress(info.Env(), driver::HandleValue(handle));
}

Napi::Value DestroyStream(const Napi::CallbackInfo& info) {
  core::Device& device = RecordingDevice();
  const core::ContextScope scope = device.Enter();
  const auto handle = driver::HandleFrom<driver::CUstream>(ToAddress(info[0], "handle"));
  core::Check(device.table(), device.table().cuStreamDestroy(handle), "cuStreamDestroy");
  return info.Env().Undefined();
}

/** Leaves a context current on the calling thread, as another library would. */
Napi::Value PushContext(const Napi::CallbackInfo& info) {
  core::Device& device = ToObject<DeviceObject>(info[0], "device").native();
  core::Check(device.table(), device.table().cuCtxPushCurrent(device.Context()), "cuCtxPushCurrent");
  return info.Env().Undefined();
}

/** Ends that, and gives the ordinal of the device whose context it was; -1 where none was current. */
Napi::Value PopContext(const Napi::CallbackInfo& info) {
  driver::CUcontext context = nullptr;
  const driver::DriverTable& table = RecordingDevice().table();
  if (table.cuCtxPopCurrent(&context) != driver::kSuccess) return Napi::Number::New(info.Env(), -1);
  for (const auto kind : {core::DriverKind::kRecording, core::DriverKind::kSimulated}) {
    for (const auto& device : core::Driver::Open(kind).devices()) {
      if (device->Context() == context) return Napi::Number::New(info.Env(), device->ordinal());
    }
  }
  return Napi::Number::New(info.Env(), -1);
}

/** What the child writes to the pipe is all that it may do: the threads behind the JavaScript engine are not
 * there. */
Napi::Value UseAfterFork(const Napi::CallbackInfo& info) {
  core::Device& device = RecordingDevice();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) throw core::Error(core::ErrorKind::kArgument, "no pipe could be made");
  const pid_t child = fork();
  if (child < 0) throw core::Error(core::ErrorKind::kArgument, "no process could be forked");
  if (child == 0) {
    std::string message;
    try {
      device.Enter();
    } catch (const core::Error& error) {
      message = error.what();
    }
    const bool written = write(ends[1], message.data(), message.size()) >= 0;
    _exit(written ? 0 : 1);
  }
  close(ends[1]);
  std::string message;
  std::array<char, 512> piece{};
  for (ssize_t count = 0; (count = read(ends[0], piece.data(), piece.size())) > 0;)
    message.append(piece.data(), static_cast<std::size_t>(count));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return Napi::String::New(info.Env(), message);
}

}  // namespace

Napi::Object DefineRecording(Napi::Env env) {
  Napi::Object recording = Napi::Object::New(env);
  recording.Set("log", Entry<Log>(env, "log"));
  recording.Set("clear", Entry<Clear>(env, "clear"));
  recording.Set("fail", Entry<Fail>(env, "fail"));
  recording.Set("reset", Entry<Reset>(env, "reset"));
  recording.Set("makeStream", Entry<MakeStream>(env, "makeStream"));
  recording.Set("destroyStream", Entry<DestroyStream>(env, "destroyStream"));
  recording.Set("pushContext", Entry<PushContext>(env, "pushContext"));
  recording.Set("popContext", Entry<PopContext>(env, "popContext"));
  recording.Set("useAfterFork", Entry<UseAfterFork>(env, "useAfterFork"));
  return recording;
}

}  // namespace stridelab::binding

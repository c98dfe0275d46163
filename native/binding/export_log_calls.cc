#include <array>
#include <cstdint>
#include <limits>

#include "binding/arguments.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "binding/storage_object.h"
#include "binding/tagged_object.h"
#include "dlpack/export_log.h"

namespace stridelab::binding {
namespace {

using dlpack::ExportLog;

/** In the order of dlpack::Way. */
constexpr std::array<const char*, 9> kWays = {
    "javascript",   "python",        "python-table",          "python-borrow",
    "native-table", "native-borrow", "python-cuda-interface", "python-array-interface",
    "python-buffer"};

std::shared_ptr<core::Storage> StorageIn(Napi::Value value) {
  return ToObject<StorageObject>(value, "storage").native().shared_from_this();
}

std::uint64_t ToNumber(Napi::Value value, const char* name) {
  return static_cast<std::uint64_t>(ToInteger(value, name, 0, std::numeric_limits<std::int64_t>::max()));
}

Napi::Value NumberOf(Napi::Env env, std::uint64_t number) {
  return Napi::Number::New(env, static_cast<double>(number));
}

Napi::Array PairOf(Napi::Env env, double first, double second) {
  const Napi::Array pair = Napi::Array::New(env, 2);
  pair.Set(0U, first);
  pair.Set(1U, second);
  return pair;
}

Napi::Object RequestOf(Napi::Env env, const dlpack::Request& request) {
  const Napi::Object object = Napi::Object::New(env);
  if (request.stream) object.Set("stream", Napi::BigInt::New(env, *request.stream));
  if (request.max_version)
    object.Set("maxVersion", PairOf(env, request.max_version->major, request.max_version->minor));
  if (request.device)
    object.Set("dlDevice", PairOf(env, request.device->device_type, request.device->device_id));
  if (request.copy) object.Set("copy", *request.copy);
  return object;
}

Napi::Object ObjectOf(Napi::Env env, const dlpack::ExportState& state) {
  const dlpack::ExportRecord& record = *state.record;
  const Napi::Object object = Napi::Object::New(env);
  object.Set("number", NumberOf(env, state.number));
  object.Set("storage", NumberOf(env, state.storage));
  object.Set("way", kWays[static_cast<std::size_t>(record.way)]);
  object.Set("asker", state.asker);
  object.Set("array", record.array);
  object.Set("device", PairOf(env, record.device.device_type, record.device.device_id));
  object.Set("request", RequestOf(env, record.request));
  object.Set("madeAt", record.made_at);
  object.Set("began", record.began);
  object.Set("waitsBefore", NumberOf(env, record.waits_before));
  object.Set("waitsAfter", NumberOf(env, record.waits_after));
  object.Set("versioned", record.versioned);
  object.Set("copied", record.copied);
  object.Set("refusal", record.refusal);
  object.Set("taken", state.taken);
  object.Set("version", record.version);
  object.Set("stream", Napi::BigInt::New(env, record.stream));
  object.Set("flags", record.flags);
  object.Set("readOnly", record.read_only);
  object.Set("endNumber", NumberOf(env, state.end_number));
  object.Set("ended", state.ended);
  return object;
}

Napi::Value Follow(const Napi::CallbackInfo& info) {
  return NumberOf(info.Env(), ExportLog::Follow(StorageIn(info[0])));
}

Napi::Value Unfollow(const Napi::CallbackInfo& info) {
  ExportLog::Unfollow(ToNumber(info[0], "id"));
  return info.Env().Undefined();
}

Napi::Value Start(const Napi::CallbackInfo& info) {
  ExportLog::Start();
  return info.Env().Undefined();
}

Napi::Value Stop(const Napi::CallbackInfo& info) {
  ExportLog::Stop();
  return info.Env().Undefined();
}

Napi::Value IdOf(const Napi::CallbackInfo& info) {
  return NumberOf(info.Env(), ExportLog::IdOf(StorageIn(info[0])));
}

Napi::Value Last(const Napi::CallbackInfo& info) { return NumberOf(info.Env(), ExportLog::Last()); }

Napi::Value Read(const Napi::CallbackInfo& info) {
  const Napi::Env env = info.Env();
  const auto states = ExportLog::Read(ToNumber(info[0], "id"), ToNumber(info[1], "after"));
  const Napi::Array list = Napi::Array::New(env, states.size());
  for (std::size_t index = 0; index < states.size(); ++index)
    list.Set(static_cast<std::uint32_t>(index), ObjectOf(env, states[index]));
  return list;
}

Napi::Value CountOut(const Napi::CallbackInfo& info) {
  return NumberOf(info.Env(), ExportLog::CountOut(ToNumber(info[0], "id")));
}

}  // namespace

Napi::Object DefineExports(Napi::Env env) {
  const Napi::Object exports = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    exports.Set(name, Entry<Body>(env, name));
  };
  add.operator()<Follow>("follow");
  add.operator()<Unfollow>("unfollow");
  add.operator()<Start>("start");
  add.operator()<Stop>("stop");
  add.operator()<IdOf>("idOf");
  add.operator()<Last>("last");
  add.operator()<Read>("read");
  add.operator()<CountOut>("countOut");
  return exports;
}

}  // namespace stridelab::binding

#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "binding/arguments.h"
#include "binding/device_object.h"
#include "binding/entry.h"
#include "binding/parts.h"
#include "binding/tagged_object.h"
#include "core/driver.h"
#include "core/error.h"
#include "core/trace.h"

namespace stridelab::binding {
namespace {

/** More would take all memory before a ring is full. */
constexpr std::int64_t kMostRecords = std::int64_t{1} << 24;
/** What a double tells exactly. */
constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;

/** The function of one environment that says where the program is. */
struct Context {
  napi_env env;
  napi_ref function;
  std::uint32_t source;
};

std::uint32_t NextSource() {
  static std::atomic<std::uint32_t> next{1};
  return next++;
}

/** 0 where JavaScript cannot be asked: while an error is on its way, or the environment is ending. */
std::uint32_t NumberOf(void* data) noexcept {
  const auto& context = *static_cast<const Context*>(data);
  napi_handle_scope scope = nullptr;
  if (napi_open_handle_scope(context.env, &scope) != napi_ok) return 0;
  std::uint32_t number = 0;
  napi_value function = nullptr;
  napi_value receiver = nullptr;
  napi_value result = nullptr;
  if (napi_get_reference_value(context.env, context.function, &function) == napi_ok && function != nullptr &&
      napi_get_undefined(context.env, &receiver) == napi_ok) {
    const napi_status called = napi_call_function(context.env, receiver, function, 0, nullptr, &result);
    if (called == napi_ok) {
      napi_get_value_uint32(context.env, result, &number);
    } else if (called == napi_pending_exception) {
      napi_get_and_clear_last_exception(context.env, &result);
    }
  }
  napi_close_handle_scope(context.env, scope);
  return number;
}

void Forget(void* data) {
  const auto* context = static_cast<Context*>(data);
  if (core::trace::CurrentTagSource().context == context) core::trace::SetTagSource({});
  napi_delete_reference(context->env, context->function);
  delete context;
}

Napi::Value Start(const Napi::CallbackInfo& info) {
  const auto capacity = static_cast<std::size_t>(ToInteger(info[0], "capacity", 1, kMostRecords));
  std::vector<core::Device*> devices;
  if (!info[1].IsNull()) {
    if (!info[1].IsArray()) throw core::Error(core::ErrorKind::kArgument, "devices must be an array or null");
    const auto list = info[1].As<Napi::Array>();
    for (std::uint32_t index = 0; index < list.Length(); ++index)
      devices.push_back(&ToObject<DeviceObject>(list.Get(index), "device").native());
    if (devices.empty()) throw core::Error(core::ErrorKind::kArgument, "devices must not be empty");
  }
  core::trace::Start(capacity, devices);
  return info.Env().Undefined();
}

Napi::Value Stop(const Napi::CallbackInfo& info) {
  core::trace::Stop();
  return info.Env().Undefined();
}

Napi::Value Clear(const Napi::CallbackInfo& info) {
  core::trace::Clear();
  return info.Env().Undefined();
}

Napi::Value Enabled(const Napi::CallbackInfo& info) {
  return Napi::Boolean::New(info.Env(), core::trace::IsOn());
}

Napi::Value Now(const Napi::CallbackInfo& info) { return Napi::Number::New(info.Env(), core::trace::Now()); }

Napi::Value SetContext(const Napi::CallbackInfo& info) {
  if (!info[0].IsFunction()) throw core::Error(core::ErrorKind::kArgument, "context must be a function");
  const Napi::Env env = info.Env();
  if (const auto* known = static_cast<Context*>(core::trace::CurrentTagSource().context);
      known != nullptr && known->env == static_cast<napi_env>(env)) {
    napi_value function = nullptr;
    if (napi_get_reference_value(env, known->function, &function) == napi_ok &&
        info[0].StrictEquals(Napi::Value(env, function)))
      return Napi::Number::New(env, known->source);
  }
  napi_ref function = nullptr;
  if (napi_create_reference(env, info[0], 1, &function) != napi_ok) throw Napi::Error::New(env);
  auto* context = new Context{env, function, NextSource()};
  napi_add_env_cleanup_hook(env, Forget, context);
  core::trace::SetTagSource({context->source, NumberOf, context});
  return Napi::Number::New(env, context->source);
}

Napi::Value NoteRange(const Napi::CallbackInfo& info) {
  if (!info[0].IsString()) throw core::Error(core::ErrorKind::kArgument, "name must be a string");
  if (!info[1].IsNumber()) throw core::Error(core::ErrorKind::kArgument, "begin must be a number");
  core::trace::NoteRange(info[0].As<Napi::String>().Utf8Value(), info[1].As<Napi::Number>().DoubleValue(),
                         core::trace::Now());
  return info.Env().Undefined();
}

bool IsFloat64Array(const Napi::Value& value) {
  return value.IsTypedArray() && value.As<Napi::TypedArray>().TypedArrayType() == napi_float64_array;
}

/** In the order of `FIELDS` in src/recording/trace/records.ts. */
std::array<double, 19> NumbersOf(const core::TraceRecord& record) {
  const core::Device* device = record.device;
  return {static_cast<double>(record.kind),
          device == nullptr ? -1 : static_cast<double>(device->driver().kind()),
          device == nullptr ? -1 : static_cast<double>(device->ordinal()),
          static_cast<double>(record.stream_id),
          static_cast<double>(record.waits_for),
          static_cast<double>(record.thread),
          static_cast<double>(record.tag.source),
          static_cast<double>(record.tag.number),
          static_cast<double>(record.bytes),
          static_cast<double>(record.live_bytes),
          record.host_begin,
          record.host_end,
          record.submitted,
          record.begin,
          record.end,
          static_cast<double>(record.operands.size()),
          static_cast<double>(record.number),
          device != nullptr && device->table().virtual_time ? 1.0 : 0.0,
          record.open ? 1.0 : 0.0};
}

Napi::Value ToColumns(Napi::Env env, const core::trace::Snapshot& snapshot) {
  std::vector<double> numbers;
  std::vector<std::uint64_t> operands;
  Napi::Array names = Napi::Array::New(env, snapshot.records.size());
  std::uint32_t index = 0;
  for (const core::TraceRecord& record : snapshot.records) {
    const Napi::HandleScope scope(env);
    const auto fields = NumbersOf(record);
    numbers.insert(numbers.end(), fields.begin(), fields.end());
    for (const core::TraceOperand& operand : record.operands)
      operands.insert(operands.end(), {operand.pointer, operand.bytes, operand.write ? 1U : 0U});
    names.Set(index++, record.name);
  }
  auto number_column = Napi::Float64Array::New(env, numbers.size());
  std::copy(numbers.begin(), numbers.end(), number_column.Data());
  auto operand_column = Napi::BigUint64Array::New(env, operands.size());
  std::copy(operands.begin(), operands.end(), operand_column.Data());
  Napi::Object result = Napi::Object::New(env);
  result.Set("numbers", number_column);
  result.Set("names", names);
  result.Set("operands", operand_column);
  result.Set("dropped", static_cast<double>(snapshot.dropped));
  result.Set("epoch", static_cast<double>(snapshot.epoch));
  result.Set("added", static_cast<double>(snapshot.added));
  return result;
}

Napi::Value Read(const Napi::CallbackInfo& info) { return ToColumns(info.Env(), core::trace::Read()); }

Napi::Value ReadSince(const Napi::CallbackInfo& info) {
  core::trace::Position position;
  position.epoch = static_cast<std::uint64_t>(ToInteger(info[0], "epoch", 0, kMostCounted));
  position.next = static_cast<std::uint64_t>(ToInteger(info[1], "next", 0, kMostCounted));
  if (!IsFloat64Array(info[2])) throw core::Error(core::ErrorKind::kArgument, "open must be a Float64Array");
  const auto open = info[2].As<Napi::Float64Array>();
  for (std::size_t index = 0; index < open.ElementLength(); ++index) {
    const double number = open[index];
    if (number >= 0 && number < static_cast<double>(kMostCounted))
      position.open.push_back(static_cast<std::uint64_t>(number));
  }
  const auto limit = static_cast<std::size_t>(ToInteger(info[3], "limit", 1, kMostRecords));
  return ToColumns(info.Env(), core::trace::ReadSince(position, limit));
}

}  // namespace

Napi::Object DefineTrace(Napi::Env env) {
  Napi::Object trace = Napi::Object::New(env);
  const auto add = [&]<Napi::Value (*Body)(const Napi::CallbackInfo&)>(const char* name) {
    trace.Set(name, Entry<Body>(env, name));
  };
  add.operator()<Start>("start");
  add.operator()<Stop>("stop");
  add.operator()<Clear>("clear");
  add.operator()<Enabled>("enabled");
  add.operator()<Now>("now");
  add.operator()<SetContext>("setContext");
  add.operator()<NoteRange>("noteRange");
  add.operator()<Read>("read");
  add.operator()<ReadSince>("readSince");
  return trace;
}

}  // namespace stridelab::binding

#include <array>
#include <atomic>
#include <utility>
#include <vector>

#include "binding/objects.h"
#include "binding/parts.h"
#include "core/driver.h"
#include "core/trace.h"

namespace stridelab::binding {
namespace {

/** A larger capacity would exhaust memory before the ring is full. */
constexpr std::int64_t kMostRecords = std::int64_t{1} << 24;
/** The largest count that a double holds exactly. */
constexpr std::int64_t kMostCounted = std::int64_t{1} << 53;
using Counted = Within<std::uint64_t, 0, kMostCounted>;

/** The function of one environment that returns the program's current context. */
struct Context {
  napi_env env;
  napi_ref function;
  std::uint32_t source;
};

std::uint32_t NextSource() {
  static std::atomic<std::uint32_t> next{1};
  return next++;
}

/** Returns 0 if JavaScript cannot be called: an exception is pending, or the environment is ending. */
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
    const napi_status called = CallJavaScript(context.env, receiver, function, {}, &result);
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

void StartTrace(Within<std::size_t, 1, kMostRecords> capacity,
                const OrNull<std::vector<core::Device*>>& devices) {
  if (devices.value && devices.value->empty()) Refuse("devices must not be empty");
  core::trace::Start(capacity, devices.value.value_or(std::vector<core::Device*>()));
}

std::uint32_t SetContext(Env env, const Napi::Function& given) {
  if (const auto* known = static_cast<Context*>(core::trace::CurrentTagSource().context);
      known != nullptr && known->env == static_cast<napi_env>(env)) {
    napi_value function = nullptr;
    if (napi_get_reference_value(env, known->function, &function) == napi_ok &&
        given.StrictEquals(Napi::Value(env, function)))
      return known->source;
  }
  napi_ref function = nullptr;
  Require(env, napi_create_reference(env, given, 1, &function));
  auto* context = new Context{env, function, NextSource()};
  napi_add_env_cleanup_hook(env, Forget, context);
  core::trace::SetTagSource({context->source, NumberOf, context});
  return context->source;
}

void NoteRange(const std::string& name, double begin) {
  core::trace::NoteRange(name, begin, core::trace::Now());
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

Fields ToColumns(Env env, const core::trace::Snapshot& snapshot) {
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
  return Fields(env)
      .Set("numbers", ColumnOf<Napi::Float64Array>(env, numbers))
      .Set("names", names)
      .Set("operands", ColumnOf<Napi::BigUint64Array>(env, operands))
      .Set("dropped", snapshot.dropped)
      .Set("epoch", snapshot.epoch)
      .Set("added", snapshot.added);
}

Fields ReadAll(Env env) { return ToColumns(env, core::trace::Read()); }

Fields ReadSince(Env env, Counted epoch, Counted next, const Napi::Float64Array& open,
                 Within<std::size_t, 1, kMostRecords> limit) {
  core::trace::Position position{epoch, next, {}};
  for (std::size_t index = 0; index < open.ElementLength(); ++index) {
    const double number = open[index];
    if (number >= 0 && number < static_cast<double>(kMostCounted))
      position.open.push_back(static_cast<std::uint64_t>(number));
  }
  return ToColumns(env, core::trace::ReadSince(position, limit));
}

constexpr Function kTraceTable[] = {
    Bind<StartTrace>("start", "capacity", "devices"),
    Bind<core::trace::Stop>("stop"),
    Bind<core::trace::Clear>("clear"),
    Bind<core::trace::IsOn>("enabled"),
    Bind<core::trace::Now>("now"),
    Bind<SetContext>("setContext", "context"),
    Bind<NoteRange>("noteRange", "name", "begin"),
    Bind<ReadAll>("read"),
    Bind<ReadSince>("readSince", "epoch", "next", "open", "limit"),
};

}  // namespace

const Functions kTraceCalls = kTraceTable;

}  // namespace stridelab::binding

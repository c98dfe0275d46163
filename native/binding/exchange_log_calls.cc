// The logs of exports and of waits.
#include "binding/objects.h"
#include "binding/parts.h"
#include "core/wait_log.h"
#include "dlpack/export_log.h"

namespace stridelab::binding {

/** In the order of dlpack::Way. */
constexpr const char* kWays[] = {
    "javascript",   "python",        "python-table",          "python-borrow",
    "native-table", "native-borrow", "python-cuda-interface", "python-array-interface",
    "python-buffer"};
template <>
inline constexpr std::span<const char* const> kNamesOf<dlpack::Way>{kWays};

namespace {

using dlpack::ExportLog;

/** The number of an export or of a followed storage. */
using Number = Within<std::uint64_t, 0, INT64_MAX>;

std::vector<int> PairOf(const DLDevice& device) { return {device.device_type, device.device_id}; }

Fields RequestOf(Env env, const dlpack::Request& request) {
  Fields fields(env);
  if (request.stream) fields.Set("stream", Napi::BigInt::New(env, *request.stream));
  if (request.max_version) {
    const auto [major, minor] = *request.max_version;
    fields.Set("maxVersion", std::vector<std::uint32_t>{major, minor});
  }
  if (request.device) fields.Set("dlDevice", PairOf(*request.device));
  if (request.copy) fields.Set("copy", *request.copy);
  return fields;
}

Fields FieldsOf(Env env, const dlpack::ExportState& state) {
  const dlpack::ExportRecord& record = *state.record;
  return Fields(env)
      .Set("number", state.number)
      .Set("storage", state.storage)
      .Set("way", record.way)
      .Set("asker", state.asker)
      .Set("array", record.array)
      .Set("device", PairOf(record.device))
      .Set("request", RequestOf(env, record.request))
      .Set("madeAt", record.made_at)
      .Set("began", record.began)
      .Set("waitsBefore", record.waits_before)
      .Set("waitsAfter", record.waits_after)
      .Set("versioned", record.versioned)
      .Set("copied", record.copied)
      .Set("refusal", record.refusal)
      .Set("taken", state.taken)
      .Set("version", record.version)
      .Set("stream", Napi::BigInt::New(env, record.stream))
      .Set("flags", record.flags)
      .Set("readOnly", record.read_only)
      .Set("endNumber", state.end_number)
      .Set("ended", state.ended);
}

void Unfollow(Number id) { ExportLog::Unfollow(id); }

std::vector<Fields> ReadExports(Env env, Number id, Number after) {
  std::vector<Fields> exports;
  for (const dlpack::ExportState& state : ExportLog::Read(id, after)) exports.push_back(FieldsOf(env, state));
  return exports;
}

std::uint64_t CountOut(Number id) { return ExportLog::CountOut(id); }

constexpr Function kExportTable[] = {
    Bind<ExportLog::Follow>("follow", "storage"),
    Bind<Unfollow>("unfollow", "id"),
    Bind<ExportLog::Start>("start"),
    Bind<ExportLog::Stop>("stop"),
    Bind<ExportLog::IdOf>("idOf", "storage"),
    Bind<ExportLog::Last>("last"),
    Bind<ReadExports>("read", "id", "after"),
    Bind<CountOut>("countOut", "id"),
};

/** Four numbers for each wait, in the order of `WAIT_FIELDS` in src/recording/exchanges/waits.ts. */
Napi::Float64Array ReadWaits(Env env, Within<std::uint64_t, 0, INT64_MAX> after) {
  std::vector<double> numbers;
  for (const auto& entry : core::wait_log::Read(after)) {
    numbers.insert(numbers.end(), {static_cast<double>(entry.number), entry.time,
                                   static_cast<double>(entry.waiter), static_cast<double>(entry.waited)});
  }
  return ColumnOf<Napi::Float64Array>(env, numbers);
}

constexpr Function kWaitTable[] = {
    Bind<core::wait_log::Start>("start"),
    Bind<core::wait_log::Stop>("stop"),
    Bind<core::wait_log::Now>("now"),
    Bind<ReadWaits>("read", "after"),
};

}  // namespace

const Functions kExportLogCalls = kExportTable;
const Functions kWaitCalls = kWaitTable;

}  // namespace stridelab::binding

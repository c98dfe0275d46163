#include "binding/call.h"
#include "binding/parts.h"
#include "core/wait_log.h"

namespace stridelab::binding {
namespace {

/** Four numbers for each wait, in the order of `WAIT_FIELDS` in src/recording/exchanges/waits.ts. */
Napi::Float64Array ReadWaits(Env env, Within<std::uint64_t, 0, INT64_MAX> after) {
  std::vector<double> numbers;
  for (const auto& entry : core::wait_log::Read(after)) {
    numbers.insert(numbers.end(), {static_cast<double>(entry.number), entry.time,
                                   static_cast<double>(entry.waiter), static_cast<double>(entry.waited)});
  }
  return ColumnOf<Napi::Float64Array>(env, numbers);
}

constexpr Function kTable[] = {
    Bind<core::wait_log::Start>("start"),
    Bind<core::wait_log::Stop>("stop"),
    Bind<core::wait_log::Now>("now"),
    Bind<ReadWaits>("read", "after"),
};

}  // namespace

const Functions kWaitCalls = kTable;

}  // namespace stridelab::binding

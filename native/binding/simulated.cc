#include "binding/call.h"
#include "binding/parts.h"
#include "driver/simulated/machine.h"

namespace stridelab::binding {

/** In the order of Schedule. */
constexpr const char* kSchedules[] = {"eager", "hazard"};
template <>
inline constexpr std::span<const char* const> kNamesOf<driver::simulated::Schedule>{kSchedules};

namespace {

constexpr Function kTable[] = {
    Bind<driver::simulated::CurrentSchedule>("schedule"),
    Bind<driver::simulated::SetSchedule>("setSchedule", "schedule"),
};

}  // namespace

const Functions kSimulatedCalls = kTable;

}  // namespace stridelab::binding

// Controls of the drivers that need no GPU: the log of the recording one, the schedule of the simulated one.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <climits>
#include <string>

#include "binding/driver_call.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "core/driver.h"
#include "driver/recording/recording_driver.h"
#include "driver/simulated/machine.h"

namespace stridelab::binding {

/** In the order of Schedule. */
constexpr const char* kSchedules[] = {"eager", "hazard"};
template <>
inline constexpr std::span<const char* const> kNamesOf<driver::simulated::Schedule>{kSchedules};

namespace {

void FailCall(const std::string& call, Within<driver::CUresult, 0, INT_MAX> status,
              Within<int, -1, INT_MAX> times) {
  driver::recording::Fail(call, status, times);
}

core::Device& RecordingDevice() {
  return *core::Driver::Open(core::DriverKind::kRecording).devices().front();
}

/** Makes a stream that the core has no object for, as another library would. */
driver::CUstream MakeStream() {
  const core::ContextScope scope = RecordingDevice().Enter();
  // Bypasses the device's table: a layer over it would notice the stream.
  const driver::DriverTable table = driver::recording::OpenRecordingDriver(0, 1);
  driver::CUstream handle = nullptr;
  core::Check(table, table.cuStreamCreateWithPriority(&handle, driver::kStreamNonBlocking, 0),
              "cuStreamCreateWithPriority");
  return handle;
}

void DestroyStream(Address handle) {
  STRIDELAB_CALL(RecordingDevice(), cuStreamDestroy, driver::HandleFrom<driver::CUstream>(handle));
}

/** Leaves a context current on the calling thread, as another library would. */
void PushContext(core::Device& device) {
  core::Check(device.table(), device.table().cuCtxPushCurrent(device.Context()), "cuCtxPushCurrent");
}

/** Pops that context. Returns the ordinal of its device, or -1 if none was current. */
int PopContext() {
  driver::CUcontext context = nullptr;
  if (RecordingDevice().table().cuCtxPopCurrent(&context) != driver::kSuccess) return -1;
  for (const auto kind : {core::DriverKind::kRecording, core::DriverKind::kSimulated}) {
    for (const auto& device : core::Driver::Open(kind).devices()) {
      if (device->Context() == context) return device->ordinal();
    }
  }
  return -1;
}

/** Returns what a forked child writes to a pipe. The child may do nothing else: the threads of the JavaScript
 * engine do not exist in it. */
std::string UseAfterFork() {
  core::Device& device = RecordingDevice();
  std::array<int, 2> ends{};
  if (pipe(ends.data()) != 0) Refuse("no pipe could be created");
  const pid_t child = fork();
  if (child < 0) Refuse("the process could not be forked");
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
  return message;
}

constexpr Function kRecordingTable[] = {
    Bind<driver::recording::Log>("log"),
    Bind<driver::recording::Clear>("clear"),
    Bind<FailCall>("fail", "call", "status", "times"),
    Bind<driver::recording::Reset>("reset"),
    Bind<MakeStream>("makeStream"),
    Bind<DestroyStream>("destroyStream", "handle"),
    Bind<PushContext>("pushContext", "device"),
    Bind<PopContext>("popContext"),
    Bind<UseAfterFork>("useAfterFork"),
};

constexpr Function kSimulatedTable[] = {
    Bind<driver::simulated::CurrentSchedule>("schedule"),
    Bind<driver::simulated::SetSchedule>("setSchedule", "schedule"),
};

}  // namespace

const Functions kRecordingCalls = kRecordingTable;
const Functions kSimulatedCalls = kSimulatedTable;

}  // namespace stridelab::binding

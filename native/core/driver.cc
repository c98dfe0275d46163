#include "core/driver.h"

#include <array>
#include <atomic>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <mutex>

#include "core/error.h"
#include "core/exit.h"
#include "driver/cuda_library.h"
#include "driver/recording/recording_driver.h"
#include "driver/simulated/machine.h"
#include "driver/simulated/simulated_driver.h"
#include "hazards/table_layer.h"

namespace stridelab::core {
namespace {

constexpr const char* kSimulatedSchedule = "STRIDELAB_SIM_SCHEDULE";

/** Reads an environment variable that must be a number from 1 to `most`; `usual` if it is unset or empty. */
std::size_t NumberFrom(const char* variable, std::size_t usual, std::size_t most, const char* expected) {
  const char* text = std::getenv(variable);
  if (text == nullptr || *text == '\0') return usual;
  std::size_t number = 0;
  const char* end = text + std::strlen(text);
  const auto [stop, failure] = std::from_chars(text, end, number);
  if (failure != std::errc() || stop != end || number == 0 || number > most) {
    throw Error(ErrorKind::kArgument,
                std::string(variable) + " must be " + expected + ", not '" + text + "'");
  }
  return number;
}

std::size_t SimulatedMemory() {
  return NumberFrom("STRIDELAB_SIM_MEMORY", driver::simulated::kDefaultMemory, SIZE_MAX,
                    "a positive number of bytes");
}

int SimulatedDevices() {
  static_assert(driver::simulated::kMostDevices == 16);
  return static_cast<int>(
      NumberFrom("STRIDELAB_SIM_DEVICES", 1, driver::simulated::kMostDevices, "a number from 1 to 16"));
}

/** Applies the schedule that the environment sets; the program may change it later. */
void ReadSimulatedSchedule() {
  const char* text = std::getenv(kSimulatedSchedule);
  const std::string name = text == nullptr ? "" : text;
  if (name == "hazard") return driver::simulated::SetSchedule(driver::simulated::Schedule::kHazard);
  if (name.empty() || name == "eager") return;
  throw Error(ErrorKind::kArgument,
              std::string(kSimulatedSchedule) + " must be 'eager' or 'hazard', not '" + name + "'");
}

driver::DriverTable OpenTable(DriverKind kind) {
  if (kind != DriverKind::kCuda) ReadSimulatedSchedule();
  if (kind == DriverKind::kSimulated)
    return driver::simulated::OpenSimulatedDriver(SimulatedMemory(), SimulatedDevices());
  if (kind == DriverKind::kRecording)
    return driver::recording::OpenRecordingDriver(SimulatedMemory(), SimulatedDevices());
  try {
    return driver::OpenCudaLibrary();
  } catch (const driver::LibraryUnavailable& failure) {
    throw Error(failure.what(), failure.tried());
  }
}

bool WantHazards() {
  try {
    return hazards::WantedByEnvironment();
  } catch (const std::invalid_argument& failure) {
    throw Error(ErrorKind::kArgument, failure.what());
  }
}

constexpr const char* kNoDeviceFound =
    "libcuda was opened, but it reports no device: check nvidia-smi and CUDA_VISIBLE_DEVICES";

std::mutex opening;
/** Written under the lock, read without it. */
std::array<std::atomic<Driver*>, std::size(kDriverKindNames)> opened{};

}  // namespace

Driver::Driver(DriverKind kind, const driver::DriverTable& table) : kind_(kind), table_(table) {
  if (WantHazards()) hazards_ = &hazards::Install(table_, static_cast<std::size_t>(kind));
  const driver::CUresult status = table_.cuInit(0);
  if (status == driver::kNoDevice) throw Error(kNoDeviceFound, driver::CudaLibraryNames());
  Check(table_, status, "cuInit");
  CallDriver<&DriverTable::cuDriverGetVersion>(table_, &version_);
  int count = 0;
  CallDriver<&DriverTable::cuDeviceGetCount>(table_, &count);
  if (count == 0) throw Error(kNoDeviceFound, driver::CudaLibraryNames());
  for (int ordinal = 0; ordinal < count; ++ordinal)
    devices_.push_back(std::make_unique<Device>(*this, ordinal));
}

Driver& Driver::Open(DriverKind kind) {
  const std::lock_guard lock(opening);
  std::atomic<Driver*>& entry = opened[static_cast<std::size_t>(kind)];
  Driver* driver = entry.load(std::memory_order_relaxed);
  if (driver == nullptr) {
    driver = new Driver(kind, OpenTable(kind));
    entry.store(driver, std::memory_order_release);
    WatchForExit();
  }
  return *driver;
}

const Driver* Driver::Find(DriverKind kind) {
  return opened[static_cast<std::size_t>(kind)].load(std::memory_order_acquire);
}

std::vector<Device*> Driver::OpenedDevices() {
  std::vector<Device*> devices;
  for (const std::atomic<Driver*>& entry : opened) {
    const Driver* driver = entry.load(std::memory_order_acquire);
    if (driver == nullptr) continue;
    for (const auto& device : driver->devices()) devices.push_back(device.get());
  }
  return devices;
}

}  // namespace stridelab::core

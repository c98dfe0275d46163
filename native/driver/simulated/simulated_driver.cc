#include "driver/simulated/simulated_driver.h"

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {

void Fill(DriverTable& table) {
#define STRIDELAB_WITHOUT_MODULES
#define STRIDELAB_REQUIRED(name, suffix, parameters) table.name = name;
#include "driver/driver_functions.h"
  table.simulateWork = simulateWork;
}

DriverTable OpenSimulatedDriver(std::size_t total_memory, int devices) {
  StartMachine(total_memory, devices);
  DriverTable table;
  table.virtual_time = true;
  Fill(table);
  return table;
}

}  // namespace stridelab::driver::simulated

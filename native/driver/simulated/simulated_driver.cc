#include "driver/simulated/simulated_driver.h"

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {

DriverTable OpenSimulatedDriver(std::size_t total_memory) {
  StartMachine(total_memory);
  DriverTable table;
  table.virtual_time = true;
  AddDeviceCalls(table);
  AddAllocationCalls(table);
  AddMemoryCalls(table);
  AddOrderCalls(table);
  AddGraphCalls(table);
  AddSharingCalls(table);
  AddPoolCalls(table);
  AddVirtualCalls(table);
  return table;
}

}  // namespace stridelab::driver::simulated

#include "driver/simulated/simulated_driver.h"

#include "driver/simulated/calls.h"

namespace stridelab::driver::simulated {

DriverTable OpenSimulatedDriver(std::size_t total_memory, int devices) {
  StartMachine(total_memory, devices);
  DriverTable table;
  table.virtual_time = true;
  AddDeviceCalls(table);
  AddAllocationCalls(table);
  AddMemoryCalls(table);
  AddPeerCalls(table);
  AddOrderCalls(table);
  AddGraphCalls(table);
  AddSharingCalls(table);
  AddPoolCalls(table);
  AddVirtualCalls(table);
  return table;
}

}  // namespace stridelab::driver::simulated

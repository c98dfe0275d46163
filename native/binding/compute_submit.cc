#include "binding/compute_submit.h"

#include <vector>

#include "binding/arguments.h"
#include "binding/environment.h"
#include "core/device.h"
#include "core/operation.h"

namespace stridelab::binding {

void CheckStream(Napi::Value stream) {
  const auto& native = ToStream(stream, "stream");
  native->RequireAlive();
  if (native->device().table().simulateWork == nullptr) {
    throw core::Error(core::ErrorKind::kArgument,
                      "the stream's device runs no host code: these operations are for simulated devices");
  }
}

void SubmitWork(Napi::Value stream, const char* name, std::span<core::Storage* const> storages,
                std::size_t written, std::size_t bytes, std::function<void()> work) {
  CheckStream(stream);
  const auto& native = ToStream(stream, "stream");
  std::vector<core::Operand> operands;
  operands.reserve(storages.size());
  for (std::size_t index = 0; index < storages.size(); ++index)
    operands.push_back({storages[index], index < written ? core::Access::kWrite : core::Access::kRead});
  const driver::DriverTable& table = native->device().table();
  const driver::SimulatedWork submitted{name, bytes, std::move(work)};
  core::RunOperation(native, operands, Environment::Of(stream.Env()).interrupt(), [&] {
    core::Check(table, table.simulateWork(native->handle(), submitted), "simulateWork");
  });
}

}  // namespace stridelab::binding

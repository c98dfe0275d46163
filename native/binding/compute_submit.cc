#include "binding/compute_submit.h"

#include <vector>

#include "binding/stream_object.h"
#include "core/device.h"
#include "core/operation.h"

namespace stridelab::binding {

ComputeStream Read(Call& call, As<ComputeStream>) {
  const auto& stream = Convert(call.Next(), As<std::shared_ptr<core::Stream>>{});
  stream->RequireAlive();
  if (stream->device().table().simulateWork == nullptr)
    Refuse("the stream's device runs no host code: these operations are for simulated devices");
  return {stream, call.environment().interrupt()};
}

void ComputeStream::Submit(const char* name, std::span<core::Storage* const> storages, std::size_t written,
                           std::size_t bytes, std::function<void()> work) const {
  stream->RequireAlive();  // Reading the storages may have run JavaScript.
  std::vector<core::Operand> operands;
  operands.reserve(storages.size());
  for (std::size_t index = 0; index < storages.size(); ++index)
    operands.push_back({storages[index], index < written ? core::Access::kWrite : core::Access::kRead});
  const driver::DriverTable& table = stream->device().table();
  const driver::SimulatedWork submitted{name, bytes, std::move(work)};
  const auto submit = [&] {
    core::Check(table, table.simulateWork(stream->handle(), submitted), "simulateWork");
  };
  core::RunOperation(stream, operands, interrupt, submit, {core::TraceKind::kKernel, name, bytes});
}

}  // namespace stridelab::binding

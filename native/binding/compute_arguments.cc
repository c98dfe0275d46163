#include "binding/compute_arguments.h"

#include <algorithm>
#include <string>
#include <utility>

#include "binding/objects.h"
#include "core/device.h"
#include "core/error.h"

namespace stridelab::binding {
void LayoutWords::RefuseNext(const char* what, std::int64_t least, std::int64_t most) const {
  if (at_ >= words_.size()) Refuse(std::string("layout ends before ") + what);
  Refuse(std::string("layout: ") + what + " must be a whole number from " + std::to_string(least) + " to " +
         std::to_string(most));
}

std::vector<std::int64_t> LayoutWords::Shape(const char* what, std::size_t most) {
  const auto rank = static_cast<std::size_t>(Next(what, 0, static_cast<std::int64_t>(most)));
  std::vector<std::int64_t> shape(rank);
  for (std::int64_t& length : shape) length = Next("a length", 0, kLongestAxis);
  CheckSize(shape);
  return shape;
}

std::vector<std::int64_t> LayoutWords::Strides(std::size_t rank) {
  std::vector<std::int64_t> strides(rank);
  for (std::int64_t& stride : strides) stride = Next("a stride", -kLongestAxis, kLongestAxis);
  return strides;
}

View LayoutWords::NextView(std::size_t rank) {
  const std::int64_t offset = Next("an offset", 0, kLongestAxis);
  return {offset, Strides(rank)};
}

void LayoutWords::End() const {
  if (at_ != words_.size()) Refuse("layout has " + std::to_string(words_.size() - at_) + " numbers too many");
}

void CheckSize(std::span<const std::int64_t> shape) {
  std::int64_t size = 1;
  for (const std::int64_t length : shape) {
    // A zero length must not hide other lengths whose product overflows.
    if (__builtin_mul_overflow(size, std::max<std::int64_t>(length, 1), &size) || size > kLongestAxis)
      Refuse("layout: its shape has more than 2^53 - 1 elements");
  }
}

std::size_t SizeOfShape(std::span<const std::int64_t> shape) {
  std::size_t size = 1;
  for (const std::int64_t length : shape) size *= static_cast<std::size_t>(length);
  return size;
}

compute::Operand ToOperand(const core::Operand& used, View view, std::span<const std::int64_t> shape,
                           std::size_t itemsize) {
  const core::Storage& storage = *used.storage;
  const bool written = used.access == core::Access::kWrite;
  const bool empty = std::ranges::find(shape, 0) != shape.end();
  std::int64_t low = view.offset;
  std::int64_t high = view.offset + static_cast<std::int64_t>(itemsize);
  bool overflow = false;
  for (std::size_t axis = 0; axis < shape.size() && !empty; ++axis) {
    const std::int64_t stride = view.strides[axis];
    if (written && stride == 0 && shape[axis] > 1) Refuse("layout: an output has a stride of 0");
    std::int64_t reach = 0;
    overflow |= __builtin_mul_overflow(stride, shape[axis] - 1, &reach);
    std::int64_t& end = reach < 0 ? low : high;
    overflow |= __builtin_add_overflow(end, reach, &end);
  }
  if (!empty && (overflow || low < 0 || static_cast<std::uint64_t>(high) > storage.bytes())) {
    throw core::Error(core::ErrorKind::kBounds, "elements from byte " + std::to_string(low) + " to " +
                                                    std::to_string(high) + " are outside a storage of " +
                                                    std::to_string(storage.bytes()) + " bytes");
  }
  std::byte* first = driver::HandleFrom<std::byte*>(storage.pointer());
  return {empty ? first : first + view.offset, std::move(view.strides), itemsize};
}

std::vector<core::Operand> OperationWords::Storages(std::size_t count, std::size_t written) {
  std::vector<core::Operand> storages;
  storages.reserve(count);
  while (storages.size() < count) {
    const auto key = static_cast<std::uint32_t>(Next("the key of a storage", 0, UINT32_MAX));
    storages.push_back({FromKey<StorageObject>(key, "storage").native().get(),
                        storages.size() < written ? core::Access::kWrite : core::Access::kRead});
  }
  return storages;
}

OperationWords Read(Call& call, As<OperationWords>) {
  const std::span<const double> words = call.environment().compute_memory().words;
  const Argument argument = call.Next();
  const auto most = static_cast<std::int64_t>(words.size());
  return OperationWords(words.first(static_cast<std::size_t>(ToInteger(argument, 0, most))));
}

namespace {

ComputeStream Checked(const std::shared_ptr<core::Stream>& stream, const Call& call) {
  stream->RequireAlive();
  if (stream->device().table().simulateWork == nullptr)
    Refuse("the stream's device cannot run host code: expected a simulated device");
  return {stream, call.environment().interrupt()};
}

}  // namespace

ComputeStream Read(Call& call, As<ComputeStream>) {
  return Checked(Convert(call.Next(), As<std::shared_ptr<core::Stream>>{}), call);
}

KeyedComputeStream Read(Call& call, As<KeyedComputeStream>) {
  return {Checked(Convert(call.Next(), As<Keyed<StreamObject>>{}).native(), call)};
}

std::uint64_t ComputeStream::Submit(const char* name, std::span<const core::Operand> storages,
                                    std::size_t bytes, std::function<void()> work) const {
  const driver::DriverTable& table = stream->device().table();
  const driver::SimulatedWork submitted{name, bytes, std::move(work)};
  const auto submit = [&] {
    core::Check(table, table.simulateWork(stream->handle(), submitted), "simulateWork");
  };
  return core::Stream::OperationOf(
      core::RunOperation(stream, storages, interrupt, submit, {core::TraceKind::kKernel, name, bytes}));
}

}  // namespace stridelab::binding

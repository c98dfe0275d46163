// Kernels on simulated devices.
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "binding/compute_arguments.h"
#include "binding/kernel_mail.h"
#include "binding/objects.h"
#include "binding/parts.h"
#include "kernels/launch.h"

namespace stridelab::binding {

class KernelProgramObject
    : public NativeObject<KernelProgramObject, std::shared_ptr<const kernels::Program>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kKernelProgram, "NativeKernelProgram", 0x2f8d61b5c07e4a93};
  using NativeObject::NativeObject;
};
KernelProgramObject* ObjectFor(As<const kernels::Program>);

namespace {

/** Words of a launch: the grid, the block, bytes of dynamic shared memory. */
constexpr std::size_t kConfigWords = 7;
constexpr std::size_t kMostFaults = 20;
/** A record is for a picture, which cannot show more. */
constexpr std::int64_t kMostRecorded = std::int64_t{1} << 24;

/** Converts an array of exactly `count` storages. */
std::vector<core::Storage*> ToStorages(const Napi::Value& value, std::size_t count) {
  const Argument argument{value, "storages"};
  if (!value.IsArray() || value.As<Napi::Array>().Length() != count)
    Refuse(argument, "an array of " + std::to_string(count));
  return Convert(argument, As<std::vector<core::Storage*>>{});
}

/** Reads the arguments of a launch, each aligned to its size. */
class ArgumentBytes {
 public:
  explicit ArgumentBytes(std::span<const std::byte> bytes) : bytes_(bytes) {}

  std::uint64_t Next(std::size_t size) {
    at_ = (at_ + size - 1) / size * size;
    if (at_ + size > bytes_.size()) Refuse("arguments end too early");
    std::uint64_t bits = 0;
    std::memcpy(&bits, bytes_.data() + at_, size);
    at_ += size;
    return bits;
  }
  std::int64_t NextLength(bool wide) {
    return wide ? static_cast<std::int64_t>(Next(8)) : static_cast<std::int32_t>(Next(4));
  }
  void End() const {
    if (at_ != bytes_.size())
      Refuse("arguments has " + std::to_string(bytes_.size() - at_) + " bytes too many");
  }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
};

kernels::Config ToConfig(std::span<std::int32_t> words) {
  if (words.size() != kConfigWords) Refuse("config must have 7 words");
  for (const std::int32_t word : words) {
    if (word < 0) Refuse("config must not have negative words");
  }
  const auto at = [&](std::size_t index) { return static_cast<std::uint32_t>(words[index]); };
  return {{at(0), at(1), at(2)}, {at(3), at(4), at(5)}, at(6)};
}

/** Reads an array argument, and checks that all its elements are in the storage. */
kernels::BoundArray ToArray(const kernels::Array& array, ArgumentBytes& arguments, core::Storage& storage) {
  kernels::BoundArray bound;
  const auto size = static_cast<std::int64_t>(kernels::SizeOf(array.element));
  const std::uint64_t pointer = arguments.Next(8);
  for (std::size_t axis = 0; axis < array.rank; ++axis) {
    const std::int64_t extent = arguments.NextLength(array.wide);
    if (extent < 0) Refuse("the array `" + array.name + "` has a negative length");
    bound.extents.push_back(extent);
  }
  CheckSize(bound.extents);
  bound.strides.resize(array.rank);
  std::int64_t dense = size;
  for (std::size_t axis = array.rank; axis-- > 0;) {
    bound.strides[axis] = dense;
    dense *= std::max<std::int64_t>(bound.extents[axis], 1);
  }
  for (std::size_t axis = 0; axis < array.rank && !array.contiguous; ++axis) {
    const std::int64_t stride = arguments.NextLength(array.wide);
    if (__builtin_mul_overflow(stride, size, &bound.strides[axis]))
      Refuse("the array `" + array.name + "` has a stride that is too large");
  }
  if (SizeOfShape(bound.extents) == 0) return bound;
  if (pointer % static_cast<std::uint64_t>(size) != 0) {
    Refuse("the array `" + array.name + "` is not aligned to its elements of " + std::to_string(size) +
           " bytes");
  }
  const View view{static_cast<std::int64_t>(pointer - storage.pointer()), bound.strides};
  // Kernels may write elements that share an address.
  const core::Operand used{&storage, core::Access::kRead};
  bound.base = ToOperand(used, view, bound.extents, static_cast<std::size_t>(size)).first;
  return bound;
}

/** A launch, and the storages that it writes and reads. */
struct Prepared {
  std::shared_ptr<const kernels::Launch> launch;
  /** The storages of the arrays: those that are written, then those that are read. */
  std::vector<core::Operand> storages;
  std::size_t bytes = 0;
};

Prepared Prepare(const std::shared_ptr<const kernels::Program>& program, std::span<std::int32_t> config,
                 std::span<const std::byte> bytes, const Napi::Value& list) {
  auto launch = std::make_shared<kernels::Launch>();
  launch->program = program;
  launch->config = ToConfig(config);
  const std::vector<kernels::Array>& arrays = program->arrays();
  launch->arrays.resize(arrays.size());
  launch->scalars.resize(program->parameters());
  std::size_t count = 0;
  for (std::size_t number = 0; number < program->parameters(); ++number)
    count += arrays[number].present ? 1 : 0;
  const std::vector<core::Storage*> storages = ToStorages(list, count);
  Prepared prepared;
  ArgumentBytes arguments(bytes);
  auto next = storages.begin();
  for (std::size_t number = 0; number < program->parameters(); ++number) {
    const kernels::Array& array = arrays[number];
    if (!array.present) {
      launch->scalars[number] = arguments.Next(kernels::SizeOf(array.scalar));
      continue;
    }
    core::Storage* storage = *next++;
    launch->arrays[number] = ToArray(array, arguments, *storage);
    prepared.bytes += SizeOfShape(launch->arrays[number].extents) * kernels::SizeOf(array.element);
    const auto place = array.written ? prepared.storages.begin() : prepared.storages.end();
    prepared.storages.insert(place, {storage, array.written ? core::Access::kWrite : core::Access::kRead});
  }
  arguments.End();
  launch->Bind();
  prepared.launch = std::move(launch);
  return prepared;
}

std::shared_ptr<const kernels::Program> MakeKernelProgram(std::span<std::int32_t> words,
                                                          std::span<const std::byte> constants) {
  return std::make_shared<const kernels::Program>(words, constants);
}

[[noreturn]] void ThrowInterrupted() {
  throw core::Error(core::ErrorKind::kInterrupted, "the kernel was interrupted");
}

void LaunchKernel(Environment& environment, const ComputeStream& stream,
                  const std::shared_ptr<const kernels::Program>& program, std::span<std::int32_t> config,
                  std::span<const std::byte> arguments, const Napi::Value& list) {
  const Prepared prepared = Prepare(program, config, arguments, list);
  const std::shared_ptr<kernels::Mailbox>& box = environment.kernel_mail().box();
  const auto work = [launch = prepared.launch, box] {
    kernels::Report report(1);
    launch->Run(report);
    box->Deliver(report, *launch->program, launch->config);
  };
  stream.stream->RequireAlive();  // Reading the storages may have run JavaScript.
  stream.Submit(program->name().c_str(), prepared.storages, prepared.bytes, work);
  if (box->TakeInterrupt()) ThrowInterrupted();
}

std::string CheckKernel(const std::shared_ptr<const kernels::Program>& program,
                        std::span<std::int32_t> config, std::span<const std::byte> arguments,
                        const Napi::Value& list, const Napi::Object& options) {
  const Prepared prepared = Prepare(program, config, arguments, list);
  for (const core::Operand& used : prepared.storages) {
    if (used.storage->device().table().simulateWork == nullptr)
      Refuse("the device of a storage cannot run host code: expected a simulated device");
  }
  kernels::Report report(kMostFaults);
  const kernels::RecordOptions record{Option<Within<std::size_t, 0, kMostRecorded>>(options, "recordBlocks"),
                                      Option<Within<std::size_t, 0, kMostRecorded>>(options, "recordWords")};
  std::string recorded;
  prepared.launch->RunChecked(report, record, recorded);
  if (report.interrupted()) ThrowInterrupted();
  std::string json = "{\"faults\":[";
  for (const kernels::Fault& fault : report.faults()) {
    if (json.back() != '[') json += ',';
    json += ToJson(fault, *program, prepared.launch->config);
  }
  json += "],\"output\":";
  kernels::AppendQuoted(json, report.output());
  return json + ",\"record\":" + recorded + "}";
}

std::optional<std::string> TakeFault(Environment& environment) {
  return environment.kernel_mail().box()->TakeFault();
}

std::string TakeOutput(Environment& environment) { return environment.kernel_mail().box()->TakeOutput(); }

constexpr Function kKernelTable[] = {
    Bind<MakeKernelProgram>("makeProgram", "words", "constants"),
    Bind<LaunchKernel>("launch", "stream", "program", "config", "arguments", "storages"),
    Bind<CheckKernel>("check", "program", "config", "arguments", "storages", "options"),
    Bind<TakeFault>("takeFault"),
    Bind<TakeOutput>("takeOutput"),
};

}  // namespace

const Functions kKernelCalls = kKernelTable;

}  // namespace stridelab::binding

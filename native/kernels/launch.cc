#include "kernels/launch.h"

#include <algorithm>
#include <atomic>
#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "kernels/batch.h"
#include "kernels/interrupt.h"

namespace stridelab::kernels {
namespace {

constexpr std::size_t kMostThreads = 1024;
constexpr std::uint64_t kMostCooperative = 262144;
constexpr std::size_t kMostShared = 232448;
/** Lanes of a batch: registers of a batch should fit in the cache of a core, and the work on them outweigh the dispatch. */
constexpr std::size_t kUsualLanes = 1024;
/** Threads of a grid for which another host thread is worth starting. */
constexpr std::uint64_t kThreadsForHelper = 8192;
constexpr std::uint64_t kMostHelpers = 15;

[[noreturn]] void RefuseLaunch(const std::string& what) { throw std::invalid_argument(what); }

void CheckConfig(const Program& program, const Config& config, std::size_t shared) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (config.grid[axis] == 0 || config.block[axis] == 0)
      RefuseLaunch("a launch needs at least one block and one thread along each axis");
  }
  if (config.threads() > kMostThreads || config.block[2] > 64) {
    RefuseLaunch("a block has at most 1024 threads, and 64 along z; this launch has " +
                 std::to_string(config.threads()));
  }
  if (config.grid[0] > 0x7fffffff || config.grid[1] > 65535 || config.grid[2] > 65535)
    RefuseLaunch("a grid has at most 2147483647 blocks along x and 65535 along y and z");
  if (shared > kMostShared) {
    RefuseLaunch("a block has at most 232448 bytes of shared memory; this launch needs " +
                 std::to_string(shared));
  }
  if (program.cooperative() && config.blocks() > kMostCooperative / config.threads()) {
    RefuseLaunch("a simulated device waits for a grid of at most 262144 threads; this launch has " +
                 std::to_string(config.blocks() * config.threads()) + ": use a smaller grid");
  }
}

std::vector<std::int64_t> RowMajor(const std::vector<std::int64_t>& extents, std::int64_t stride) {
  std::vector<std::int64_t> strides(extents.size());
  for (std::size_t axis = extents.size(); axis-- > 0; stride *= extents[axis]) strides[axis] = stride;
  return strides;
}

/** The blocks of a launch, which host threads take in batches. */
class Work {
 public:
  Work(const Launch& launch, Report& report, std::size_t blocks)
      : launch_(launch), report_(report), blocks_(blocks), all_(launch.config.blocks()) {}

  /** Like Take, on another thread; one that has no room for its batch does not help. */
  void Help() {
    try {
      Take();
    } catch (const std::bad_alloc&) {
      return;
    }
  }

  void Take() {
    Batch batch(launch_, blocks_, report_, nullptr);
    while (!report_.stopped()) {
      const std::uint64_t first = next_.fetch_add(blocks_);
      if (first >= all_) return;
      batch.Run(first, std::min<std::uint64_t>(blocks_, all_ - first));
    }
  }

 private:
  const Launch& launch_;
  Report& report_;
  std::size_t blocks_;
  std::uint64_t all_;
  std::atomic<std::uint64_t> next_{0};
};

}  // namespace

std::size_t Launch::OffsetOf(const Array& array) const {
  return array.dynamic ? (program->shared_bytes() + 15) / 16 * 16 : array.offset;
}

std::size_t Launch::shared_bytes() const {
  const bool dynamic = std::ranges::any_of(program->arrays(), &Array::dynamic);
  return dynamic ? (program->shared_bytes() + 15) / 16 * 16 + config.dynamic_shared : program->shared_bytes();
}

void Launch::Bind() {
  CheckConfig(*program, config, program->shared_bytes() + config.dynamic_shared);
  for (std::size_t number = program->parameters(); number < arrays.size(); ++number) {
    const Array& array = program->arrays()[number];
    BoundArray& bound = arrays[number];
    const auto size = static_cast<std::int64_t>(SizeOf(array.element));
    bound.extents = array.shape;
    if (array.dynamic) bound.extents[0] = static_cast<std::int64_t>(config.dynamic_shared) / size;
    bound.strides = RowMajor(bound.extents, size);
    // Tables are only read.
    if (array.space == Space::kConstant)
      bound.base = const_cast<std::byte*>(program->constants().data()) + array.offset;
  }
}

void Launch::Run(Report& report) const {
  const std::uint64_t blocks = config.blocks();
  const std::uint64_t all = blocks * config.threads();
  const std::uint64_t cores = std::max(1U, std::thread::hardware_concurrency());
  const std::uint64_t hosts =
      program->cooperative() ? 1 : std::min({cores, all / kThreadsForHelper + 1, blocks, kMostHelpers + 1});
  const std::uint64_t usual = std::max<std::uint64_t>(1, kUsualLanes / config.threads());
  Work work(*this, report, program->cooperative() ? blocks : std::min(usual, (blocks + hosts - 1) / hosts));
  std::vector<std::jthread> helpers;
  for (std::uint64_t index = 1; index < hosts; ++index) helpers.emplace_back([&] { work.Help(); });
  work.Take();
}

void Launch::RunChecked(Report& report, const RecordOptions& record, std::string& recorded) const {
  Checker checker(*this, report, record);
  const std::uint64_t blocks = config.blocks();
  const std::uint64_t usual =
      program->cooperative() ? blocks : std::max<std::uint64_t>(1, kUsualLanes / config.threads());
  const std::uint64_t together = std::min(usual, blocks);
  Batch batch(*this, together, report, &checker);
  for (std::uint64_t first = 0; first < blocks && !report.stopped(); first += together)
    batch.Run(first, std::min(together, blocks - first));
  recorded = checker.record();
}

}  // namespace stridelab::kernels

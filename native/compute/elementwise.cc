#include "compute/elementwise.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "compute/crew.h"
#include "compute/scratch.h"
#include "core/stream_copy.h"

namespace stridelab::compute {
namespace {

/** Most elements of a block, and how many bytes its registers take if it can be shorter, so that they stay in the L1 cache. */
constexpr std::size_t kBlock = 1024;
constexpr std::size_t kRegisterBytes = std::size_t{24} << 10;
constexpr std::size_t kLeastBlock = 256;
static_assert(kBlock == kTile * kTile);
/**
 * Rows of at least this length are not joined in blocks, so that they can be read in place; with one instruction or none, fewer calls
 * are saved by blocks than elements are copied.
 */
constexpr std::size_t kLongRow = 256;
constexpr std::size_t kLongRowOfOne = 64;
/** Outputs of at least this many bytes bypass the cache. */
constexpr std::size_t kStreamFrom = std::size_t{8} << 20;

/** One run of a program over a layout: the location of each register for the current block. */
class Pass {
 public:
  /** With `streamed`, an output without gaps bypasses the cache. */
  Pass(const Program& program, const Layout& layout, bool streamed)
      : program_(program),
        layout_(layout),
        mixed_(layout.shape().size() == 1 ||
               layout.row() < (program.instructions().size() > 1 ? kLongRow : kLongRowOfOne)),
        outputs_(program.outputs().size()),
        at_(program.registers(), nullptr),
        own_(program.registers(), nullptr),
        plain_(program.inputs(), false),
        scalar_(program.inputs(), false) {
    if (!mixed_) StartRows();
    FindPlaces(streamed);
    FillConstants();
  }

  void Run() {
    const std::size_t stretch = mixed_ ? layout_.size() : layout_.row();
    for (std::size_t from = 0; from < layout_.size(); from += stretch) {
      if (from > 0) NextRow();
      for (std::size_t done = 0; done < stretch; done += block_)
        RunBlock(done, std::min(block_, stretch - done));
    }
    if (streamed_) core::FinishStreamCopies();
  }

 private:
  void StartRows() {
    index_.resize(layout_.shape().size(), 0);
    for (std::size_t operand = 0; operand < layout_.operand_count(); ++operand)
      rows_.push_back(layout_.operand(operand).first);
    block_ = std::min(block_, layout_.row());
  }

  void NextRow() {
    const auto& shape = layout_.shape();
    for (std::size_t axis = shape.size() - 1; axis-- > 0;) {
      const bool carries = ++index_[axis] == shape[axis];
      if (carries) index_[axis] = 0;
      for (std::size_t operand = 0; operand < rows_.size(); ++operand) {
        const std::int64_t stride = layout_.operand(operand).strides[axis];
        rows_[operand] += carries ? stride * (1 - shape[axis]) : stride;
      }
      if (!carries) return;
    }
  }

  void FindPlaces(bool streamed) {
    FindForms(streamed);
    if (IsOneCall()) {
      block_ = layout_.size();
      return;
    }
    std::size_t element = 0;
    for (std::size_t number = 0; number < program_.registers(); ++number)
      element += RegisterSize(program_.type_of(number));
    // A tile is one block.
    while (!layout_.tiled() && block_ > kLeastBlock && block_ * element > kRegisterBytes) block_ /= 2;
    scratch_ = Scratch(block_ * (element + 16));
    std::byte* next = scratch_.data();
    staging_ = next;
    next += block_ * 16;
    for (std::size_t number = 0; number < program_.registers(); ++number) {
      at_[number] = own_[number] = next;
      next += block_ * RegisterSize(program_.type_of(number));
    }
  }

  /** Returns whether a single instruction reads and writes the arrays in place: it needs no registers, nor blocks that fit them. */
  bool IsOneCall() const {
    if (!direct_ || !mixed_ || program_.instructions().size() != 1 || program_.constants() > 0) return false;
    for (std::size_t input = 0; input < program_.inputs(); ++input)
      if (!plain_[input] || scalar_[input] || IsSmallFloat(program_.type_of(input))) return false;
    return true;
  }

  /** Finds how the operands are read and written. */
  void FindForms(bool streamed) {
    // Several outputs are stored one after another, so their sources must not lie in memory that one of them
    // overwrites.
    const bool one = outputs_ == 1;
    for (std::size_t input = 0; input < program_.inputs(); ++input) {
      plain_[input] = one && IsInPlace(outputs_ + input, program_.type_of(input));
      scalar_[input] = layout_.IsScalar(outputs_ + input);
    }
    const Output& output = program_.outputs()[0];
    const bool last = static_cast<std::size_t>(output.source) + 1 == program_.registers() &&
                      !program_.instructions().empty();
    plain_output_ = one && IsInPlace(0, output.type);
    streamed_ = plain_output_ && streamed;
    // With more inputs it makes them slower.
    fetches_ahead_ = streamed_ && program_.inputs() == 1;
    direct_ = plain_output_ && !streamed_ && last && !IsSmallFloat(output.type);
    const bool copies = one && program_.instructions().empty() && program_.inputs() == 1 && !scalar_[0];
    gathers_ = copies && plain_output_ && !streamed_ && !plain_[0];
    copies_tiles_ = copies && layout_.CopiesTiles(0, 1);
  }

  /** Returns whether the elements of a block lie one after another in memory. */
  bool IsInPlace(std::size_t operand, Type type) const {
    const std::size_t size = SizeOf(type);
    return mixed_ ? layout_.IsPlain(operand, size) : layout_.HasPlainRows(operand, size);
  }

  /** Fills the registers of constants, and of inputs with one element for all indices, once. */
  void FillConstants() {
    for (std::size_t index = 0; index < program_.constants(); ++index)
      Fill(program_.inputs() + index, program_.constant(index));
    for (std::size_t input = 0; input < program_.inputs(); ++input) {
      if (scalar_[input]) Fill(input, layout_.operand(outputs_ + input).first);
    }
  }

  void Fill(std::size_t number, const std::byte* element) {
    const Type type = program_.type_of(number);
    const std::size_t size = SizeOf(type);
    const std::size_t count = std::min(block_, layout_.size());
    CopyRow(size, IsSmallFloat(type) ? staging_ : own_[number], static_cast<std::int64_t>(size), element, 0,
            count);
    if (IsSmallFloat(type)) Vector().decode(type)(staging_, nullptr, nullptr, own_[number], count);
  }

  void RunBlock(std::size_t start, std::size_t count) {
    if (copies_tiles_) return layout_.CopyTile(0, 1, start);
    if (gathers_) return Gather(1, start, count, InPlace(0, start, SizeOf(program_.outputs()[0].type)));
    for (std::size_t input = 0; input < program_.inputs(); ++input) {
      if (!scalar_[input]) Load(input, start, count);
    }
    const auto& instructions = program_.instructions();
    const std::size_t first = program_.inputs() + program_.constants();
    for (std::size_t index = 0; index < instructions.size(); ++index) {
      const bool into_output = direct_ && index + 1 == instructions.size();
      void* result =
          into_output ? InPlace(0, start, SizeOf(program_.outputs()[0].type)) : own_[first + index];
      const auto& operands = instructions[index].operands;
      instructions[index].kernel(Block(operands[0]), Block(operands[1]), Block(operands[2]), result, count);
      if (instructions[index].round != nullptr)
        instructions[index].round(result, nullptr, nullptr, result, count);
    }
    if (direct_) return;
    for (std::size_t output = 0; output < outputs_; ++output) Store(output, start, count);
  }

  std::byte* InPlace(std::size_t operand, std::size_t start, std::size_t size) const {
    return (mixed_ ? layout_.operand(operand).first : rows_[operand]) + start * size;
  }

  void Gather(std::size_t operand, std::size_t start, std::size_t count, std::byte* block) const {
    if (mixed_) return layout_.Gather(operand, start, count, block);
    const auto& [first, strides, size] = layout_.operand(operand);
    CopyRow(size, block, static_cast<std::int64_t>(size),
            rows_[operand] + static_cast<std::int64_t>(start) * strides.back(), strides.back(), count);
  }

  void Scatter(std::size_t operand, std::size_t start, std::size_t count, const std::byte* block) const {
    if (mixed_) return layout_.Scatter(operand, start, count, block);
    const auto& [first, strides, size] = layout_.operand(operand);
    CopyRow(size, rows_[operand] + static_cast<std::int64_t>(start) * strides.back(), strides.back(), block,
            static_cast<std::int64_t>(size), count);
  }

  /** Fetches the next block into the cache while this one is computed: the processor's prefetcher stops at the end of each page. */
  static void FetchAhead(const std::byte* elements, std::size_t bytes) {
    constexpr std::size_t kLine = 64;
    for (std::size_t at = bytes; at < 2 * bytes; at += kLine) __builtin_prefetch(elements + at);
  }

  const std::byte* Block(std::int32_t number) const {
    return number < 0 ? nullptr : at_[static_cast<std::size_t>(number)];
  }

  void Load(std::size_t input, std::size_t start, std::size_t count) {
    const Type type = program_.type_of(input);
    const bool small = IsSmallFloat(type);
    const std::byte* elements = InPlace(outputs_ + input, start, SizeOf(type));
    if (plain_[input] && fetches_ahead_) FetchAhead(elements, count * SizeOf(type));
    if (plain_[input] && !small) {
      at_[input] = elements;
      return;
    }
    if (!plain_[input]) {
      Gather(outputs_ + input, start, count, small ? staging_ : own_[input]);
      elements = staging_;
    }
    if (small) Vector().decode(type)(elements, nullptr, nullptr, own_[input], count);
  }

  void Store(std::size_t output, std::size_t start, std::size_t count) {
    const Type type = program_.outputs()[output].type;
    const std::byte* block = Block(program_.outputs()[output].source);
    if (IsSmallFloat(type)) {
      Vector().encode(type)(block, nullptr, nullptr, staging_, count);
      block = staging_;
    }
    if (streamed_) {
      core::StreamCopy(InPlace(0, start, SizeOf(type)), block, count * SizeOf(type));
    } else {
      Scatter(output, start, count, block);
    }
  }

  const Program& program_;
  const Layout& layout_;
  /** Blocks may span several rows, and are numbered in all of the layout; otherwise in one row, whose start in each operand is in `rows_`. */
  bool mixed_;
  std::vector<std::byte*> rows_;
  std::vector<std::int64_t> index_;
  std::size_t outputs_;
  std::size_t block_ = kBlock;
  Scratch scratch_{0};
  std::byte* staging_ = nullptr;
  std::vector<const std::byte*> at_;
  std::vector<std::byte*> own_;
  std::vector<bool> plain_;
  std::vector<bool> scalar_;
  bool plain_output_ = false;
  /** The output bypasses the cache. */
  bool streamed_ = false;
  bool fetches_ahead_ = false;
  /** The last instruction writes directly to the output's memory. */
  bool direct_ = false;
  /** The only input is copied to the output's memory. */
  bool gathers_ = false;
  /** The only input is copied to the output's memory, a tile in each block. */
  bool copies_tiles_ = false;
};

/** Divides a layout between threads, along its first axis if that is long enough. */
std::vector<Layout> Divided(const Layout& layout, std::size_t parts) {
  if (parts == 1) return {layout};
  const std::size_t rank = layout.shape().size();
  const std::size_t axes = layout.tiled() ? rank - 2 : rank;
  const auto wanted = static_cast<std::int64_t>(parts);
  std::size_t axis = 0;
  if (layout.shape()[0] < wanted) {
    for (std::size_t other = 1; other < axes; ++other)
      if (layout.shape()[other] > layout.shape()[axis]) axis = other;
  }
  const std::int64_t length = layout.shape()[axis];
  std::int64_t share = (length + wanted - 1) / wanted;
  constexpr auto kWhole = static_cast<std::int64_t>(kBlock);
  if (axis + 1 == rank) share = (share + kWhole - 1) / kWhole * kWhole;
  std::vector<Layout> divided;
  for (std::int64_t first = 0; first < length; first += share)
    divided.push_back(layout.Part(axis, first, std::min(share, length - first)));
  return divided;
}

}  // namespace

Elementwise::Elementwise(std::shared_ptr<const Program> program, Layout layout)
    : program_(std::move(program)), layout_(std::move(layout)) {
  layout_.Order();
}

void Elementwise::Run() const {
  if (layout_.size() <= kBlock) return Pass(*program_, layout_, false).Run();
  const bool streamed = layout_.size() * SizeOf(program_->outputs()[0].type) >= kStreamFrom;
  const std::size_t cost = layout_.size() * program_->cost();
  if (PartsFor(cost) == 1 && !layout_.HasTiles()) return Pass(*program_, layout_, streamed).Run();
  std::vector<Layout> parts;
  for (const Layout& tiles : layout_.Tiles())
    std::ranges::move(Divided(tiles, PartsFor(tiles.size() * program_->cost())), std::back_inserter(parts));
  RunParts(parts.size(), [&](std::size_t part) { Pass(*program_, parts[part], streamed).Run(); });
}

}  // namespace stridelab::compute

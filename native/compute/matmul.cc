#include "compute/matmul.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "compute/conversion.h"
#include "compute/crew.h"
#include "compute/kernel.h"
#include "compute/micro.h"
#include "compute/odometer.h"

namespace stridelab::compute {
namespace {

/** Depth of a panel, so that a panel of b stays in the L1 cache while tiles run over it. */
constexpr std::size_t kDepth = 256;
/** Columns processed together; fewer if all rows of b for them would take more than kPackedBytes. */
constexpr std::size_t kColumns = 512;
constexpr std::size_t kPackedBytes = std::size_t{64} << 20;

constexpr std::size_t RoundUp(std::size_t value, std::size_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

/** Returns the type in which the parts of a product are computed: unsigned for integers, since they wrap. */
constexpr Type PartType(Type type) {
  if (type == Type::kInt64 || type == Type::kUint64) return Type::kUint64;
  if (IsInteger(type) || type == Type::kBool) return Type::kUint32;
  return RealOf(RegisterType(type));
}

/** Bytes of b up to which it stays in the L1 cache without being packed. */
constexpr std::size_t kLooseBytes = std::size_t{32} << 10;

/** Computes one product at a time, of numbers with `kParts` parts of type Value (complex ones have two). */
template <typename Value, std::size_t kParts>
class Product {
 public:
  explicit Product(const Matmul& matmul)
      : matmul_(matmul),
        micro_(Micros().Of(Value{})),
        rows_(RoundUp(96, micro_.rows)),
        columns_(ColumnsFor(matmul.k)),
        in_place_(kParts == 1 && SizeOf(matmul.type) == sizeof(Value) && Element() == PartType(matmul.type) &&
                  !IsSmallFloat(matmul.type) && matmul.type != Type::kBool) {}

  void Run(std::byte* out, const std::byte* a, const std::byte* b) {
    if (RunLoose(out, a, b)) return;
    const Scratch packed(kParts * columns_ * matmul_.k * sizeof(Value) + 64);
    b_ = reinterpret_cast<Value*>(packed.data());
    for (std::size_t column = 0; column < matmul_.n; column += columns_) {
      const std::size_t width = std::min(columns_, matmul_.n - column);
      const std::size_t depths = (matmul_.k + kDepth - 1) / kDepth;
      const std::size_t blocks = (matmul_.m + rows_ - 1) / rows_;
      const std::size_t cost = matmul_.m * width * matmul_.k / kProductsPerByte;
      const bool shared = PartsFor(cost) > 1;
      RunSome(shared, depths,
              [&](std::size_t depth) { PackB(b + Offset(column, matmul_.b.column), width, depth); });
      RunSome(shared, blocks, [&](std::size_t block) {
        const std::size_t row = block * rows_;
        Block(*this, std::min(rows_, matmul_.m - row), width)
            .Run(out + Offset(row, matmul_.out.row) + Offset(column, matmul_.out.column),
                 a + Offset(row, matmul_.a.row));
      });
    }
  }

 private:
  /** Multiply-adds in the time in which a byte could be moved. */
  static constexpr std::size_t kProductsPerByte = 4;

  template <typename Work>
  static void RunSome(bool shared, std::size_t parts, Work work) {
    if (shared) return RunParts(parts, work);
    for (std::size_t part = 0; part < parts; ++part) work(part);
  }

  /** Returns a matrix in place; false if its elements are not aligned. */
  template <typename Item, typename Byte>
  static bool ToGrid(Byte* first, const Matrices& matrices, Grid<Item>& grid) {
    constexpr auto kSize = static_cast<std::int64_t>(sizeof(Value));
    if (reinterpret_cast<std::uintptr_t>(first) % sizeof(Value) != 0) return false;
    if (matrices.row % kSize != 0 || matrices.column % kSize != 0) return false;
    grid = {reinterpret_cast<Item*>(first), matrices.row / kSize, matrices.column / kSize};
    return true;
  }

  /** Computes products of small matrices and of vectors from the operands where they are; false for others. */
  bool RunLoose(std::byte* out, const std::byte* a, const std::byte* b) const {
    Grid<Value> c{};
    Grid<const Value> left{};
    Grid<const Value> right{};
    if (!in_place_ || !ToGrid(out, matmul_.out, c)) return false;
    if (!ToGrid(a, matmul_.a, left) || !ToGrid(b, matmul_.b, right)) return false;
    const std::size_t parts = PartsFor(matmul_.m * matmul_.n * matmul_.k);
    if (matmul_.n == 1 && left.column == 1 && right.row == 1) {
      RunSome(parts > 1, parts, [&](std::size_t part) {
        const std::size_t first = matmul_.m * part / parts;
        const auto at = static_cast<std::ptrdiff_t>(first);
        micro_.dots(matmul_.m * (part + 1) / parts - first, matmul_.k,
                    {left.first + at * left.row, left.row, 1}, right.first,
                    {c.first + at * c.row, c.row, c.column});
      });
      return true;
    }
    if (right.column != 1 || c.column != 1) return false;
    if (matmul_.m != 1 && matmul_.k * matmul_.n * sizeof(Value) > kLooseBytes) return false;
    if (matmul_.m > 1) {
      micro_.loose(matmul_.m, matmul_.n, matmul_.k, left, right, c);
      return true;
    }
    RunSome(parts > 1, parts, [&](std::size_t part) {
      const std::size_t first = matmul_.n * part / parts;
      micro_.loose(1, matmul_.n * (part + 1) / parts - first, matmul_.k, left,
                   {right.first + first, right.row, 1}, {c.first + first, c.row, 1});
    });
    return true;
  }

  static std::ptrdiff_t Offset(std::size_t index, std::int64_t stride) {
    return static_cast<std::ptrdiff_t>(index) * stride;
  }
  /** Returns the register type of an element whose parts are Values. */
  Type Element() const { return kParts == 2 ? matmul_.type : PartType(matmul_.type); }

  std::size_t ColumnsFor(std::size_t depth) const {
    const std::size_t fit = kPackedBytes / (kParts * sizeof(Value) * std::max<std::size_t>(depth, 1));
    const std::size_t wanted = std::min({kColumns, RoundUp(matmul_.n, micro_.columns), fit});
    return std::max(wanted / micro_.columns, std::size_t{1}) * micro_.columns;
  }

  Value* B(std::size_t part) const { return b_ + part * columns_ * matmul_.k; }

  /** Packs kDepth rows of some columns of b, as panels of micro_.columns columns. */
  void PackB(const std::byte* b, std::size_t width, std::size_t block) const {
    Reader reader(matmul_.type, Element());
    const std::size_t padded = RoundUp(width, micro_.columns);
    const std::size_t start = block * kDepth;
    const std::size_t depth = std::min(kDepth, matmul_.k - start);
    const std::array<Value*, 2> panels{B(0) + start * padded, B(kParts - 1) + start * padded};
    for (std::size_t part = 0; part < kParts && padded != width; ++part)
      std::memset(panels[part], 0, padded * depth * sizeof(Value));
    Pack(reader, b + Offset(start, matmul_.b.row), {width, matmul_.b.column}, {depth, matmul_.b.row},
         micro_.columns, panels);
  }

  struct Axis {
    std::size_t length;
    std::int64_t stride;
  };

  /**
   * Packs element (i across, p along) into panel i / tile at p * tile + i % tile. Reads along the axis with
   * the smaller stride.
   */
  static void Pack(Reader& reader, const std::byte* first, Axis across, Axis along, std::size_t tile,
                   const std::array<Value*, 2>& panels) {
    if (std::abs(across.stride) < std::abs(along.stride)) {
      for (std::size_t p = 0; p < along.length; ++p) {
        const std::byte* row = first + Offset(p, along.stride);
        const auto* from = reinterpret_cast<const Value*>(reader.Read(row, across.stride, across.length));
        for (std::size_t i = 0; i < across.length; i += tile, from += kParts * tile)
          Spread(from, std::min(tile, across.length - i), 1, i * along.length + p * tile, panels);
      }
      return;
    }
    for (std::size_t i = 0; i < across.length; ++i) {
      const std::byte* row = first + Offset(i, across.stride);
      const auto* from = reinterpret_cast<const Value*>(reader.Read(row, along.stride, along.length));
      Spread(from, along.length, tile, i / tile * tile * along.length + i % tile, panels);
    }
  }

  /** Writes the parts of elements into their panels, `step` apart. */
  static void Spread(const Value* from, std::size_t count, std::size_t step, std::size_t at,
                     const std::array<Value*, 2>& panels) {
    for (std::size_t part = 0; part < kParts; ++part) {
      Value* to = panels[part] + at;
      if (kParts == 1 && step == 1) {
        std::memcpy(to, from, count * sizeof(Value));
      } else {
        for (std::size_t i = 0; i < count; ++i) to[i * step] = from[i * kParts + part];
      }
    }
  }

  /** Some rows of the result, by one thread. */
  class Block {
   public:
    Block(const Product& product, std::size_t height, std::size_t width)
        : product_(product),
          matmul_(product.matmul_),
          micro_(product.micro_),
          height_(height),
          width_(width),
          tall_(RoundUp(height, micro_.rows)),
          wide_(RoundUp(width, micro_.columns)),
          reader_(matmul_.type, product.Element()),
          a_(kParts * tall_ * kDepth * sizeof(Value)),
          sums_(kParts * tall_ * wide_ * sizeof(Value)) {}

    void Run(std::byte* out, const std::byte* a) {
      if (matmul_.k == 0) std::memset(sums_.data(), 0, kParts * tall_ * wide_ * sizeof(Value));
      for (std::size_t depth = 0; depth < matmul_.k; depth += kDepth) {
        const std::size_t part = std::min(kDepth, matmul_.k - depth);
        PackA(a + Offset(depth, matmul_.a.column), part);
        Multiply(depth, part);
      }
      Writer writer(matmul_.type);
      const Scratch row(2 * width_ * sizeof(Value));
      const Scratch cast_row(width_ * RegisterSize(matmul_.type));
      const Kernel cast = product_.Element() == RegisterType(matmul_.type)
                              ? nullptr
                              : FindKernel(Opcode::kCast, product_.Element(), matmul_.type);
      for (std::size_t i = 0; i < height_; ++i) {
        const std::byte* block = RowOf(i, row);
        if (cast != nullptr) {
          cast(block, nullptr, nullptr, cast_row.data(), width_);
          block = cast_row.data();
        }
        writer.Write(out + Offset(i, matmul_.out.row), matmul_.out.column, block, width_);
      }
    }

   private:
    Value* A(std::size_t part) const { return reinterpret_cast<Value*>(a_.data()) + part * tall_ * kDepth; }
    Value* Sums(std::size_t part) const {
      return reinterpret_cast<Value*>(sums_.data()) + part * tall_ * wide_;
    }

    /** Packs a into panels of micro_.rows rows, in which columns follow one another, padded with 0. */
    void PackA(const std::byte* a, std::size_t depth) {
      const std::size_t tile = micro_.rows;
      for (std::size_t part = 0; part < kParts && height_ % tile != 0; ++part)
        std::memset(A(part) + height_ / tile * tile * depth, 0, tile * depth * sizeof(Value));
      Pack(reader_, a, {height_, matmul_.a.row}, {depth, matmul_.a.column}, tile, {A(0), A(kParts - 1)});
    }

    void Multiply(std::size_t start, std::size_t depth) {
      const Update first = start == 0 ? Update::kSet : Update::kAdd;
      for (std::size_t j = 0; j < width_; j += micro_.columns) {
        const std::size_t b = start * wide_ + j * depth;
        for (std::size_t i = 0; i < height_; i += micro_.rows) {
          const auto add = [&](std::size_t from_a, std::size_t from_b, std::size_t to, Update update) {
            micro_.run(depth, A(from_a) + i * depth, product_.B(from_b) + b, Sums(to) + i * wide_ + j, wide_,
                       update);
          };
          add(0, 0, 0, first);
          if constexpr (kParts == 2) {
            add(1, 1, 0, Update::kSubtract);
            add(0, 1, 1, first);
            add(1, 0, 1, Update::kAdd);
          }
        }
      }
    }

    /** Returns row i of the sums, its parts side by side. */
    const std::byte* RowOf(std::size_t i, const Scratch& row) const {
      if constexpr (kParts == 2) {
        auto* pairs = reinterpret_cast<Value*>(row.data());
        for (std::size_t j = 0; j < width_; ++j) {
          pairs[2 * j] = Sums(0)[i * wide_ + j];
          pairs[2 * j + 1] = Sums(1)[i * wide_ + j];
        }
        return row.data();
      }
      return reinterpret_cast<const std::byte*>(Sums(0) + i * wide_);
    }

    const Product& product_;
    const Matmul& matmul_;
    const Micro<Value>& micro_;
    std::size_t height_;
    std::size_t width_;
    /** The height and the width, rounded up to whole tiles. */
    std::size_t tall_;
    std::size_t wide_;
    Reader reader_;
    Scratch a_;
    Scratch sums_;
  };

  const Matmul& matmul_;
  const Micro<Value>& micro_;
  std::size_t rows_;
  std::size_t columns_;
  /** The operands are arrays of Value. */
  bool in_place_;
  /** The columns of b that are multiplied now. */
  Value* b_ = nullptr;
};

template <typename Value, std::size_t kParts>
void RunBatch(const Matmul& matmul) {
  const auto run = [&](const std::vector<std::int64_t>& batch, std::byte* out, const std::byte* a,
                       const std::byte* b) {
    Product<Value, kParts> product(matmul);
    Walk<3>(batch, {matmul.out.batch, matmul.a.batch, matmul.b.batch},
            [&](const std::array<std::ptrdiff_t, 3>& at) { product.Run(out + at[0], a + at[1], b + at[2]); });
  };
  // The longest axis of the batch is divided between threads; a long enough product divides itself.
  const auto longest = std::ranges::max_element(matmul.batch);
  std::size_t cost = matmul.m * matmul.n * matmul.k;
  for (const std::int64_t length : matmul.batch) cost *= static_cast<std::size_t>(length);
  const auto parts = static_cast<std::int64_t>(PartsFor(cost));
  if (parts == 1 || longest == matmul.batch.end() || *longest < parts)
    return run(matmul.batch, matmul.out.first, matmul.a.first, matmul.b.first);
  const auto axis = static_cast<std::size_t>(longest - matmul.batch.begin());
  RunParts(static_cast<std::size_t>(parts), [&](std::size_t part) {
    const auto number = static_cast<std::int64_t>(part);
    const std::int64_t first = *longest * number / parts;
    std::vector<std::int64_t> batch = matmul.batch;
    batch[axis] = *longest * (number + 1) / parts - first;
    run(batch, matmul.out.first + first * matmul.out.batch[axis],
        matmul.a.first + first * matmul.a.batch[axis], matmul.b.first + first * matmul.b.batch[axis]);
  });
}

}  // namespace

void Matmul::Run() const {
  switch (PartType(type)) {
    case Type::kUint32:
      return RunBatch<std::uint32_t, 1>(*this);
    case Type::kUint64:
      return RunBatch<std::uint64_t, 1>(*this);
    case Type::kFloat64:
      return IsComplex(type) ? RunBatch<double, 2>(*this) : RunBatch<double, 1>(*this);
    default:
      return IsComplex(type) ? RunBatch<float, 2>(*this) : RunBatch<float, 1>(*this);
  }
}

}  // namespace stridelab::compute

#include "compute/matmul.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <span>

#include "compute/conversion.h"
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

/** Computes one product at a time, of numbers with `kParts` parts of type Value (complex ones have two). */
template <typename Value, std::size_t kParts>
class Product {
 public:
  explicit Product(const Matmul& matmul)
      : matmul_(matmul),
        micro_(Micros().Of(Value{})),
        rows_(RoundUp(96, micro_.rows)),
        columns_(ColumnsFor(matmul.k)),
        a_reader_(matmul.type, Element()),
        b_reader_(matmul.type, Element()),
        writer_(matmul.type),
        a_(kParts * rows_ * kDepth * sizeof(Value)),
        b_(kParts * columns_ * matmul.k * sizeof(Value) + 64),
        sums_(kParts * rows_ * columns_ * sizeof(Value)),
        tile_(micro_.rows * micro_.columns * sizeof(Value)),
        row_(kParts * columns_ * sizeof(Value)),
        cast_row_(columns_ * RegisterSize(matmul.type)) {
    if (Element() != RegisterType(matmul.type)) cast_ = FindKernel(Opcode::kCast, Element(), matmul.type);
  }

  void Run(std::byte* out, const std::byte* a, const std::byte* b) {
    for (std::size_t column = 0; column < matmul_.n; column += columns_) {
      const std::size_t width = std::min(columns_, matmul_.n - column);
      PackB(b + Offset(column, matmul_.b.column), width);
      for (std::size_t row = 0; row < matmul_.m; row += rows_) {
        const std::size_t height = std::min(rows_, matmul_.m - row);
        std::memset(sums_.data(), 0, kParts * rows_ * columns_ * sizeof(Value));
        for (std::size_t depth = 0; depth < matmul_.k; depth += kDepth) {
          const std::size_t part = std::min(kDepth, matmul_.k - depth);
          PackA(a + Offset(row, matmul_.a.row) + Offset(depth, matmul_.a.column), height, part);
          Multiply(height, width, depth, part);
        }
        for (std::size_t i = 0; i < height; ++i)
          WriteRow(out + Offset(row + i, matmul_.out.row) + Offset(column, matmul_.out.column), i, width);
      }
    }
  }

 private:
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

  Value* A(std::size_t part) const { return reinterpret_cast<Value*>(a_.data()) + part * rows_ * kDepth; }
  Value* B(std::size_t part) const {
    return reinterpret_cast<Value*>(b_.data()) + part * columns_ * matmul_.k;
  }
  Value* Sums(std::size_t part) const {
    return reinterpret_cast<Value*>(sums_.data()) + part * rows_ * columns_;
  }

  /** Packs a into panels of micro_.rows rows, in which columns follow one another, padded with 0. */
  void PackA(const std::byte* a, std::size_t height, std::size_t depth) {
    const std::size_t tall = micro_.rows;
    if (height % tall != 0) {
      for (std::size_t part = 0; part < kParts; ++part)
        std::memset(A(part) + height / tall * tall * depth, 0, tall * depth * sizeof(Value));
    }
    const std::array<Value*, 2> panels{A(0), A(kParts - 1)};
    Pack(a_reader_, a, {height, matmul_.a.row}, {depth, matmul_.a.column}, tall, panels);
  }

  /** Packs all rows of some columns of b: for each depth of kDepth rows, panels of micro_.columns columns. */
  void PackB(const std::byte* b, std::size_t width) {
    const std::size_t wide = micro_.columns;
    const std::size_t padded = RoundUp(width, wide);
    if (padded != width) {
      for (std::size_t part = 0; part < kParts; ++part)
        std::memset(B(part), 0, padded * matmul_.k * sizeof(Value));
    }
    for (std::size_t start = 0; start < matmul_.k; start += kDepth) {
      const std::size_t depth = std::min(kDepth, matmul_.k - start);
      const std::array<Value*, 2> panels{B(0) + start * padded, B(kParts - 1) + start * padded};
      Pack(b_reader_, b + Offset(start, matmul_.b.row), {width, matmul_.b.column}, {depth, matmul_.b.row},
           wide, panels);
    }
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
      for (std::size_t i = 0; i < count; ++i) to[i * step] = from[i * kParts + part];
    }
  }

  void Multiply(std::size_t height, std::size_t width, std::size_t start, std::size_t depth) {
    const std::size_t padded = RoundUp(width, micro_.columns);
    for (std::size_t j = 0; j < width; j += micro_.columns) {
      for (std::size_t i = 0; i < height; i += micro_.rows) {
        const std::size_t b = start * padded + j * depth;
        const std::size_t a = i * depth;
        AddTile(A(0) + a, B(0) + b, depth, i, j, 0, false);
        if constexpr (kParts == 2) {
          AddTile(A(1) + a, B(1) + b, depth, i, j, 0, true);
          AddTile(A(0) + a, B(1) + b, depth, i, j, 1, false);
          AddTile(A(1) + a, B(0) + b, depth, i, j, 1, false);
        }
      }
    }
  }

  void AddTile(const Value* a, const Value* b, std::size_t depth, std::size_t i, std::size_t j,
               std::size_t part, bool subtract) {
    auto* tile = reinterpret_cast<Value*>(tile_.data());
    micro_.run(depth, a, b, tile);
    for (std::size_t row = 0; row < micro_.rows; ++row) {
      Value* sums = Sums(part) + (i + row) * columns_ + j;
      const Value* from = tile + row * micro_.columns;
      for (std::size_t column = 0; column < micro_.columns; ++column)
        sums[column] = subtract ? sums[column] - from[column] : sums[column] + from[column];
    }
  }

  void WriteRow(std::byte* out, std::size_t i, std::size_t width) {
    const auto* block = reinterpret_cast<const std::byte*>(Sums(0) + i * columns_);
    if constexpr (kParts == 2) {
      auto* pairs = reinterpret_cast<Value*>(row_.data());
      for (std::size_t j = 0; j < width; ++j) {
        pairs[2 * j] = Sums(0)[i * columns_ + j];
        pairs[2 * j + 1] = Sums(1)[i * columns_ + j];
      }
      block = row_.data();
    }
    if (cast_ != nullptr) {
      cast_(block, nullptr, nullptr, cast_row_.data(), width);
      block = cast_row_.data();
    }
    writer_.Write(out, matmul_.out.column, block, width);
  }

  const Matmul& matmul_;
  const Micro<Value>& micro_;
  std::size_t rows_;
  std::size_t columns_;
  Reader a_reader_;
  Reader b_reader_;
  Writer writer_;
  Kernel cast_ = nullptr;
  Scratch a_;
  Scratch b_;
  Scratch sums_;
  Scratch tile_;
  Scratch row_;
  Scratch cast_row_;
};

template <typename Value, std::size_t kParts>
void RunBatch(const Matmul& matmul) {
  Product<Value, kParts> product(matmul);
  Walk<3>(matmul.batch, {matmul.out.batch, matmul.a.batch, matmul.b.batch},
          [&](const std::array<std::ptrdiff_t, 3>& at) {
            product.Run(matmul.out.first + at[0], matmul.a.first + at[1], matmul.b.first + at[2]);
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

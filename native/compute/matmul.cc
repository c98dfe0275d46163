#include "compute/matmul.h"

#include <algorithm>
#include <cstring>
#include <memory>
#include <type_traits>
#include <vector>

#include "compute/small_floats.h"

namespace stridelab::compute {
namespace {

/** What one panel of `b` and one of `a` hold: together they stay in the caches. */
constexpr std::int64_t kDepth = 256;
constexpr std::int64_t kPanelRows = 96;
constexpr std::int64_t kPanelColumns = 1024;
/** A tile of the result that is kept in registers. */
constexpr std::int64_t kTileRows = 6;
constexpr std::int64_t kTileBytes = 64;

template <typename Element>
constexpr std::int64_t kTileColumns = std::max<std::int64_t>(kTileBytes /
                                                                 static_cast<std::int64_t>(sizeof(Element)),
                                                             4);

template <typename Element>
Element MultiplyAdd(Element total, Element a, Element b) {
  if constexpr (std::is_same_v<Element, bool>) {
    return total || (a && b);
  } else if constexpr (std::is_integral_v<Element>) {
    using Wrapping = std::conditional_t<sizeof(Element) == 8, std::uint64_t, std::uint32_t>;
    return static_cast<Element>(static_cast<Wrapping>(total) +
                                static_cast<Wrapping>(a) * static_cast<Wrapping>(b));
  } else if constexpr (kIsComplex<Element>) {
    return {total.real() + a.real() * b.real() - a.imag() * b.imag(),
            total.imag() + a.real() * b.imag() + a.imag() * b.real()};
  } else {
    return total + a * b;
  }
}

template <typename Element>
Element Load(Type type, const std::byte* at) {
  if constexpr (std::is_same_v<Element, float>) {
    if (IsSmallFloat(type)) {
      float value = 0;
      Decode(type, at, &value, 1);
      return value;
    }
  }
  Element value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}

/** Columns of a panel by `width`, each group of them row by row; what is past the edge is zero. */
template <typename Element>
void Pack(Type type, const std::byte* base, std::int64_t step, std::int64_t across, std::int64_t depth,
          std::int64_t columns, std::int64_t width, Element* packed) {
  for (std::int64_t first = 0; first < columns; first += width) {
    for (std::int64_t row = 0; row < depth; ++row) {
      const std::byte* at = base + row * step + first * across;
      for (std::int64_t column = 0; column < width; ++column, at += across)
        *packed++ = first + column < columns ? Load<Element>(type, at) : Element{};
    }
  }
}

/** One tile of the result: a strip of `a` times a strip of `b`, both packed. */
template <typename Element, std::int64_t kColumns>
void Tile(const Element* a, const Element* b, std::int64_t depth, Element* totals) {
  Element sums[kTileRows][kColumns];
  for (std::int64_t row = 0; row < kTileRows; ++row)
    for (std::int64_t column = 0; column < kColumns; ++column)
      sums[row][column] = totals[row * kColumns + column];
  for (std::int64_t step = 0; step < depth; ++step) {
    for (std::int64_t row = 0; row < kTileRows; ++row) {
      const Element value = a[step * kTileRows + row];
      for (std::int64_t column = 0; column < kColumns; ++column)
        sums[row][column] = MultiplyAdd(sums[row][column], value, b[step * kColumns + column]);
    }
  }
  for (std::int64_t row = 0; row < kTileRows; ++row)
    for (std::int64_t column = 0; column < kColumns; ++column)
      totals[row * kColumns + column] = sums[row][column];
}

template <typename Element>
class Product {
 public:
  Product(const MatmulRequest& request)
      : request_(request),
        rank_(request.batch.size()),
        packed_a_(std::make_unique<Element[]>(static_cast<std::size_t>((kPanelRows + kTileRows) * kDepth))),
        packed_b_(std::make_unique<Element[]>(static_cast<std::size_t>((kPanelColumns + kColumns) * kDepth))),
        results_(std::make_unique<Element[]>(
            static_cast<std::size_t>((kPanelRows + kTileRows) * (kPanelColumns + kColumns)))) {}

  void Run(std::byte* out, const std::byte* a, const std::byte* b) {
    for (std::int64_t column = 0; column < request_.n; column += kPanelColumns) {
      for (std::int64_t row = 0; row < request_.m; row += kPanelRows) RunPanel(out, a, b, row, column);
    }
  }

 private:
  static constexpr std::int64_t kColumns = kTileColumns<Element>;

  std::int64_t Stride(const Strided& operand, std::size_t axis) const {
    return operand.strides[rank_ + axis];
  }

  void RunPanel(std::byte* out, const std::byte* a, const std::byte* b, std::int64_t row,
                std::int64_t column) {
    const std::int64_t rows = std::min(kPanelRows, request_.m - row);
    const std::int64_t columns = std::min(kPanelColumns, request_.n - column);
    const std::int64_t tiles = (columns + kColumns - 1) / kColumns;
    const std::int64_t strips = (rows + kTileRows - 1) / kTileRows;
    std::fill_n(results_.get(), strips * tiles * kTileRows * kColumns, Element{});
    for (std::int64_t step = 0; step < request_.k; step += kDepth) {
      const std::int64_t depth = std::min(kDepth, request_.k - step);
      Pack(request_.type, b + step * Stride(request_.b, 0) + column * Stride(request_.b, 1),
           Stride(request_.b, 0), Stride(request_.b, 1), depth, columns, kColumns, packed_b_.get());
      Pack(request_.type, a + row * Stride(request_.a, 0) + step * Stride(request_.a, 1),
           Stride(request_.a, 1), Stride(request_.a, 0), depth, rows, kTileRows, packed_a_.get());
      for (std::int64_t tile = 0; tile < tiles; ++tile) {
        for (std::int64_t strip = 0; strip < strips; ++strip) {
          Tile<Element, kColumns>(packed_a_.get() + strip * kTileRows * depth,
                                  packed_b_.get() + tile * kColumns * depth, depth,
                                  results_.get() + (strip * tiles + tile) * kTileRows * kColumns);
        }
      }
    }
    for (std::int64_t r = 0; r < rows; ++r) {
      for (std::int64_t c = 0; c < columns; ++c) {
        const std::int64_t tile = (r / kTileRows * tiles + c / kColumns) * kTileRows * kColumns;
        const Element value =
            results_[static_cast<std::size_t>(tile + r % kTileRows * kColumns + c % kColumns)];
        std::byte* at = out + (row + r) * Stride(request_.out, 0) + (column + c) * Stride(request_.out, 1);
        Store(at, value);
      }
    }
  }

  void Store(std::byte* at, Element value) const {
    if constexpr (std::is_same_v<Element, float>) {
      if (IsSmallFloat(request_.type)) {
        Encode(request_.type, &value, at, 1);
        return;
      }
    }
    std::memcpy(at, &value, sizeof(value));
  }

  const MatmulRequest& request_;
  std::size_t rank_;
  std::unique_ptr<Element[]> packed_a_;
  std::unique_ptr<Element[]> packed_b_;
  std::unique_ptr<Element[]> results_;
};

}  // namespace

void Matmul(const MatmulRequest& request, std::byte* out, const std::byte* a, const std::byte* b) {
  std::int64_t batches = 1;
  for (const std::int64_t length : request.batch) batches *= length;
  if (batches == 0 || request.m == 0 || request.n == 0) return;
  WithType(request.type, [&](auto value) {
    Product<decltype(value)> product(request);
    std::vector<std::int64_t> index(request.batch.size(), 0);
    std::int64_t out_offset = request.out.offset;
    std::int64_t a_offset = request.a.offset;
    std::int64_t b_offset = request.b.offset;
    for (std::int64_t batch = 0; batch < batches; ++batch) {
      product.Run(out + out_offset, a + a_offset, b + b_offset);
      for (std::size_t axis = index.size(); axis-- > 0;) {
        const std::int64_t turns = ++index[axis] < request.batch[axis] ? 1 : 1 - request.batch[axis];
        out_offset += turns * request.out.strides[axis];
        a_offset += turns * request.a.strides[axis];
        b_offset += turns * request.b.strides[axis];
        if (turns == 1) break;
        index[axis] = 0;
      }
    }
  });
}

}  // namespace stridelab::compute

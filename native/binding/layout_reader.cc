#include "binding/layout_reader.h"

#include <cmath>
#include <string>

#include "core/error.h"

namespace stridelab::binding {
namespace {

constexpr double kLargest = 9007199254740991;
constexpr std::int64_t kMostAxes = 64;

}  // namespace

LayoutReader::LayoutReader(Napi::Value layout) {
  const bool numbers =
      layout.IsTypedArray() && layout.As<Napi::TypedArray>().TypedArrayType() == napi_float64_array;
  if (!numbers) throw core::Error(core::ErrorKind::kArgument, "layout must be a Float64Array");
  const auto array = layout.As<Napi::Float64Array>();
  numbers_ = array.Data();
  count_ = array.ElementLength();
}

double LayoutReader::Next() {
  if (at_ == count_) throw core::Error(core::ErrorKind::kArgument, "the layout ends early");
  const double number = numbers_[at_++];
  if (number != std::floor(number) || std::fabs(number) > kLargest)
    throw core::Error(core::ErrorKind::kArgument,
                      "number " + std::to_string(at_ - 1) + " of the layout is not whole");
  return number;
}

std::int64_t LayoutReader::NextBytes() { return static_cast<std::int64_t>(Next()); }

std::int64_t LayoutReader::NextCount() {
  const std::int64_t count = NextBytes();
  if (count < 0)
    throw core::Error(core::ErrorKind::kArgument,
                      "number " + std::to_string(at_ - 1) + " of the layout is negative");
  return count;
}

compute::Extents LayoutReader::NextShape() {
  const std::int64_t rank = NextCount();
  if (rank > kMostAxes) throw core::Error(core::ErrorKind::kArgument, "a layout of more than 64 axes");
  compute::Extents shape;
  for (std::int64_t axis = 0; axis < rank; ++axis) shape.push_back(NextCount());
  return shape;
}

compute::Strided LayoutReader::NextOperand(std::size_t axes) {
  compute::Strided operand;
  operand.offset = NextCount();
  for (std::size_t axis = 0; axis < axes; ++axis) operand.strides.push_back(NextBytes());
  return operand;
}

void LayoutReader::RequireEnd() const {
  if (at_ != count_)
    throw core::Error(core::ErrorKind::kArgument, "the layout has more numbers than it needs");
}

void RequireInside(const core::Storage& storage, const compute::Extents& shape,
                   const compute::Strided& operand, std::size_t itemsize) {
  __int128 least = operand.offset;
  __int128 end = static_cast<__int128>(operand.offset) + static_cast<__int128>(itemsize);
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (shape[axis] == 0) return;
    const __int128 reach = static_cast<__int128>(shape[axis] - 1) * operand.strides[axis];
    (reach < 0 ? least : end) += reach;
  }
  if (least >= 0 && end <= static_cast<__int128>(storage.bytes())) return;
  throw core::Error(core::ErrorKind::kBounds,
                    "elements leave a storage of " + std::to_string(storage.bytes()) + " bytes");
}

}  // namespace stridelab::binding

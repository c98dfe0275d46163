#include "dlpack/array_view.h"

#include <algorithm>
#include <utility>

#include "core/error.h"
#include "driver/types.h"

namespace stridelab::dlpack {
namespace {

/** True if the axes are contiguous in row-major or column-major order; axes of length 1 are ignored. */
bool IsContiguous(const std::int64_t* shape, const std::int64_t* strides, std::int32_t axes,
                  std::int64_t itemsize, bool last_fastest) {
  std::int64_t expected = itemsize;
  for (std::int32_t index = 0; index < axes; ++index) {
    const std::int32_t axis = last_fastest ? axes - 1 - index : index;
    if (shape[axis] != 1 && strides[axis] != expected) return false;
    expected *= shape[axis];
  }
  return true;
}

}  // namespace

ArrayView::ArrayView(const Description& description, std::int64_t itemsize, std::string typestr)
    : description_(description), itemsize_(itemsize), typestr_(std::move(typestr)) {
  const auto axes = static_cast<std::size_t>(description.ndim);
  layout_.resize(3 * axes);
  std::copy_n(description.shape, axes, layout_.data());
  std::copy_n(description.strides, axes, layout_.data() + axes);
  for (std::size_t axis = 0; axis < axes; ++axis) {
    const std::int64_t stride = description.strides[axis];
    const bool divides = stride % itemsize == 0;
    divisible_ = divisible_ && (divides || description.shape[axis] <= 1);
    // The stride of an axis of length 1 is ignored (rule 119).
    layout_[2 * axes + axis] = divides ? stride / itemsize : 1;
    size_ *= description.shape[axis];
  }
  description_.shape = layout_.data();
  description_.strides = layout_.data() + 2 * axes;
  if (size_ == 0) return;
  row_major_ = IsContiguous(shape(), byte_strides(), description.ndim, itemsize, true);
  column_major_ = IsContiguous(shape(), byte_strides(), description.ndim, itemsize, false);
}

bool ArrayView::on_host() const {
  const DLDeviceType type = description_.device.device_type;
  return type == kDLCPU || type == kDLCUDAHost;
}

void ArrayView::RequireDlpack() const {
  if (description_.dtype.bits == 0) {
    throw core::Error(core::ErrorKind::kBuffer, "DLPack has no code for the array's dtype (rule 131)");
  }
  if (!divisible_) {
    throw core::Error(core::ErrorKind::kBuffer,
                      "the array's byte strides are not multiples of its itemsize, and DLPack counts strides "
                      "in elements (rule 120)");
  }
}

void ArrayView::RequireBorrowable() const {
  RequireDlpack();
  if (!read_only()) return;
  throw core::Error(core::ErrorKind::kBuffer,
                    "a read-only array cannot be borrowed: a DLTensor has no read-only flag (rule 137)");
}

DLTensor ArrayView::Borrow(const core::Storage& storage) {
  const std::int32_t axes = description_.ndim;
  DLTensor tensor{};
  tensor.data = driver::HandleFrom<void*>(address(storage));
  tensor.device = description_.device;
  tensor.ndim = axes;
  tensor.dtype = description_.dtype;
  tensor.shape = axes == 0 ? nullptr : layout_.data();
  tensor.strides = axes == 0 ? nullptr : layout_.data() + 2 * static_cast<std::size_t>(axes);
  return tensor;
}

void* ArrayView::Export(std::shared_ptr<core::Storage> storage, std::shared_ptr<ExportRecord> record) const {
  return dlpack::Export(std::move(storage), description_, std::move(record));
}

}  // namespace stridelab::dlpack

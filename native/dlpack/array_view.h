// The exportable description of an array: its layout in a storage, which the exporter keeps alive.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/storage.h"
#include "dlpack/export.h"

namespace stridelab::dlpack {

class ArrayView {
 public:
  /** `description` has strides in bytes. An empty `typestr` means none. */
  ArrayView(const Description& description, std::int64_t itemsize, std::string typestr);
  ArrayView(const ArrayView&) = delete;
  ArrayView& operator=(const ArrayView&) = delete;

  bool read_only() const { return (description_.flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0; }
  /** True if a dimension is 0. */
  bool empty() const { return size_ == 0; }
  /** The number of elements. */
  std::int64_t size() const { return size_; }
  std::int64_t itemsize() const { return itemsize_; }
  std::int32_t ndim() const { return description_.ndim; }
  bool row_major() const { return row_major_; }
  bool column_major() const { return column_major_; }
  /** True if the host can read the memory in place, once it is ready. */
  bool on_host() const;
  const Description& description() const { return description_; }
  const std::int64_t* shape() const { return layout_.data(); }
  const std::int64_t* byte_strides() const { return layout_.data() + description_.ndim; }
  const char* typestr() const { return typestr_.empty() ? nullptr : typestr_.c_str(); }
  /** Returns the address of the first element, 0 if there is none (rules 55, 111). */
  std::uint64_t address(const core::Storage& storage) const {
    return empty() ? 0 : storage.pointer() + description_.offset;
  }

  /** Throws kind `buffer` if DLPack cannot represent it: no dtype code, or strides that are not multiples of
   * the element (rules 120, 131). */
  void RequireDlpack() const;
  /** Throws kind `buffer` if a bare DLTensor cannot represent it: it has no read-only flag (rule 137). */
  void RequireBorrowable() const;
  /** Returns a tensor whose shape and element strides remain owned by the view. */
  DLTensor Borrow(const core::Storage& storage);
  void* Export(std::shared_ptr<core::Storage> storage, std::shared_ptr<ExportRecord> record) const;

 private:
  Description description_;
  std::int64_t itemsize_;
  std::int64_t size_ = 1;
  std::vector<std::int64_t> layout_;  // shape, byte strides, element strides
  std::string typestr_;
  bool divisible_ = true;
  bool row_major_ = true;
  bool column_major_ = true;
};

}  // namespace stridelab::dlpack

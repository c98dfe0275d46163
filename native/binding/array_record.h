// What native code may hand out of an array, written down once for each array that it meets.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/storage.h"
#include "dlpack/export.h"

namespace stridelab::binding {

class ArrayRecord {
 public:
  /** `description` has strides in bytes. An empty `typestr` means none. */
  ArrayRecord(napi_env home, const std::shared_ptr<core::Storage>& storage,
              const dlpack::Description& description, std::int64_t itemsize, std::string typestr);

  /** The record of an array of this load of the addon, null for any other value. */
  static ArrayRecord* Find(napi_env env, napi_value value);
  /** Attaches the record, which goes with the array. */
  static void Attach(Napi::Env env, Napi::Value array, std::unique_ptr<ArrayRecord> record);

  /** The environment that the array belongs to, for its errors: a caller's own is another. */
  napi_env home() const { return home_; }
  bool forgotten() const { return forgotten_; }
  void Forget() { forgotten_ = true; }
  bool read_only() const { return (description_.flags & DLPACK_FLAG_BITMASK_READ_ONLY) != 0; }
  bool empty() const;
  const dlpack::Description& description() const { return description_; }
  const std::int64_t* shape() const { return layout_.data(); }
  const std::int64_t* byte_strides() const { return layout_.data() + description_.ndim; }
  const char* typestr() const { return typestr_.empty() ? nullptr : typestr_.c_str(); }

  /** Throws kind `freed` where the memory is gone. */
  std::shared_ptr<core::Storage> Lock() const;
  /** Throws kind `buffer` where DLPack cannot say it: no code, or strides that are no multiples (rules 120,
   * 131). */
  void RequireDlpack() const;
  /** Shape and element strides stay those of the record. */
  DLTensor Borrow(const core::Storage& storage);
  void* Export(std::shared_ptr<core::Storage> storage) const;

 private:
  napi_env home_;
  std::weak_ptr<core::Storage> storage_;
  dlpack::Description description_;
  std::vector<std::int64_t> layout_;  // shape, byte strides, element strides
  std::string typestr_;
  bool divisible_ = true;
  bool forgotten_ = false;
};

}  // namespace stridelab::binding

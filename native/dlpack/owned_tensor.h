// A managed tensor owned by this library: its deleter runs exactly once (rules 168 to 170).
#pragma once

#include <utility>

#include "dlpack/layout.h"

namespace stridelab::dlpack {

class OwnedTensor {
 public:
  OwnedTensor() = default;
  OwnedTensor(void* managed, bool versioned) : managed_(managed), versioned_(versioned) {}
  OwnedTensor(OwnedTensor&& other) noexcept
      : managed_(std::exchange(other.managed_, nullptr)), versioned_(other.versioned_) {}
  OwnedTensor& operator=(OwnedTensor&& other) noexcept {
    if (this != &other) {
      Delete();
      managed_ = std::exchange(other.managed_, nullptr);
      versioned_ = other.versioned_;
    }
    return *this;
  }
  ~OwnedTensor() { Delete(); }

  explicit operator bool() const { return managed_ != nullptr; }
  bool versioned() const { return versioned_; }
  void* managed() const { return managed_; }
  /** 0.0 for the unversioned struct, which has no version. */
  DLPackVersion version() const { return versioned_ ? AsVersioned().version : DLPackVersion{0, 0}; }
  /** Flags and tensor may be read only if the major version is supported (rule 108). */
  std::uint64_t flags() const { return versioned_ ? AsVersioned().flags : 0; }
  const DLTensor& tensor() const {
    return versioned_ ? AsVersioned().dl_tensor : static_cast<const DLManagedTensor*>(managed_)->dl_tensor;
  }

  /** Runs the deleter now, which frees the struct. */
  void Delete() noexcept {
    if (void* managed = std::exchange(managed_, nullptr)) StridelabDelete(managed, versioned_ ? 1 : 0);
  }
  /** Transfers ownership to the caller. */
  void* Release() { return std::exchange(managed_, nullptr); }

 private:
  const DLManagedTensorVersioned& AsVersioned() const {
    return *static_cast<const DLManagedTensorVersioned*>(managed_);
  }

  void* managed_ = nullptr;
  bool versioned_ = false;
};

}  // namespace stridelab::dlpack

// A managed tensor owned by this library: its deleter runs exactly once (rules 168 to 170).
#pragma once

#include <memory>

#include "dlpack/layout.h"

namespace stridelab::dlpack {

class OwnedTensor {
 public:
  OwnedTensor() = default;
  OwnedTensor(void* managed, bool versioned) : managed_(managed, {versioned}) {}

  explicit operator bool() const { return managed_ != nullptr; }
  bool versioned() const { return managed_.get_deleter().versioned; }
  void* managed() const { return managed_.get(); }
  /** 0.0 for the unversioned struct, which has no version. */
  DLPackVersion version() const { return versioned() ? AsVersioned().version : DLPackVersion{0, 0}; }
  /** Flags and tensor may be read only if the major version is supported (rule 108). */
  std::uint64_t flags() const { return versioned() ? AsVersioned().flags : 0; }
  const DLTensor& tensor() const {
    return versioned() ? AsVersioned().dl_tensor : static_cast<const DLManagedTensor*>(managed())->dl_tensor;
  }

  /** Runs the deleter now, which frees the struct. */
  void Delete() noexcept { managed_.reset(); }
  /** Transfers ownership to the caller. */
  void* Release() { return managed_.release(); }

 private:
  struct Deleter {
    bool versioned;
    void operator()(void* managed) const noexcept { StridelabDelete(managed, versioned ? 1 : 0); }
  };

  const DLManagedTensorVersioned& AsVersioned() const {
    return *static_cast<const DLManagedTensorVersioned*>(managed());
  }

  std::unique_ptr<void, Deleter> managed_;
};

}  // namespace stridelab::dlpack

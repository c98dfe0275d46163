#include "dlpack/export.h"

#include <algorithm>
#include <array>
#include <utility>

namespace stridelab::dlpack {
namespace {

constexpr std::size_t kUsualAxes = 6;

template <typename Managed>
struct Exported {
  Managed managed{};
  std::shared_ptr<core::Storage> storage;
  std::shared_ptr<void> witness;
  // Shape, then strides; few arrays have more axes than the first holds.
  std::array<std::int64_t, 2 * kUsualAxes> small_layout;
  std::unique_ptr<std::int64_t[]> large_layout;
};

template <typename Managed>
void Delete(Managed* self) {
  delete static_cast<Exported<Managed>*>(self->manager_ctx);
}

template <typename Managed>
Managed* Make(std::shared_ptr<core::Storage>&& storage, const Description& description,
              std::shared_ptr<void>&& witness) {
  auto exported = std::make_unique<Exported<Managed>>();
  const auto axes = static_cast<std::size_t>(description.ndim);
  if (axes > kUsualAxes) exported->large_layout = std::make_unique<std::int64_t[]>(2 * axes);
  std::int64_t* layout = axes > kUsualAxes ? exported->large_layout.get() : exported->small_layout.data();
  std::copy_n(description.shape, axes, layout);
  std::copy_n(description.strides, axes, layout + axes);
  const bool empty = std::find(description.shape, description.shape + axes, 0) != description.shape + axes;
  DLTensor& tensor = exported->managed.dl_tensor;
  tensor.data = empty ? nullptr : driver::HandleFrom<void*>(storage->pointer() + description.offset);
  tensor.device = description.device;
  tensor.ndim = description.ndim;
  tensor.dtype = description.dtype;
  tensor.shape = axes == 0 ? nullptr : layout;
  tensor.strides = axes == 0 ? nullptr : layout + axes;
  exported->storage = std::move(storage);
  exported->witness = std::move(witness);
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = Delete<Managed>;
  return &exported.release()->managed;
}

template <typename Managed>
std::shared_ptr<core::Storage> StorageBehind(const Managed& managed) {
  if (managed.deleter != Delete<Managed>) return nullptr;
  return static_cast<const Exported<Managed>*>(managed.manager_ctx)->storage;
}

}  // namespace

void* Export(std::shared_ptr<core::Storage> storage, const Description& description,
             std::shared_ptr<void> witness) {
  if (!description.versioned)
    return Make<DLManagedTensor>(std::move(storage), description, std::move(witness));
  auto* managed = Make<DLManagedTensorVersioned>(std::move(storage), description, std::move(witness));
  managed->version = description.version;
  managed->flags = description.flags;
  return managed;
}

std::shared_ptr<core::Storage> StorageOf(const void* managed, bool versioned) {
  return versioned ? StorageBehind(*static_cast<const DLManagedTensorVersioned*>(managed))
                   : StorageBehind(*static_cast<const DLManagedTensor*>(managed));
}

}  // namespace stridelab::dlpack

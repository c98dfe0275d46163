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
  std::shared_ptr<ExportRecord> record;
  // Shape, then strides; few arrays have more axes than fit in the array.
  std::array<std::int64_t, 2 * kUsualAxes> small_layout;
  std::unique_ptr<std::int64_t[]> large_layout;
};

template <typename Managed>
void Delete(Managed* self) {
  const std::unique_ptr<Exported<Managed>> exported(static_cast<Exported<Managed>*>(self->manager_ctx));
  exported->storage->EndExport();
  if (exported->record != nullptr) ExportLog::End(*exported->record);
}

template <typename Managed>
Managed* Make(std::shared_ptr<core::Storage>&& storage, const Description& description,
              std::shared_ptr<ExportRecord>&& record) {
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
  exported->storage->AddExport();
  exported->record = std::move(record);
  exported->managed.manager_ctx = exported.get();
  exported->managed.deleter = Delete<Managed>;
  return &exported.release()->managed;
}

/** Returns a member of the object behind a tensor, null if another library made the tensor. */
template <typename Managed, typename Held>
std::shared_ptr<Held> Behind(const void* managed, std::shared_ptr<Held> Exported<Managed>::* member) {
  const auto* tensor = static_cast<const Managed*>(managed);
  if (tensor->deleter != Delete<Managed>) return nullptr;
  return static_cast<const Exported<Managed>*>(tensor->manager_ctx)->*member;
}

}  // namespace

void* Export(std::shared_ptr<core::Storage> storage, const Description& description,
             std::shared_ptr<ExportRecord> record) {
  if (!description.versioned)
    return Make<DLManagedTensor>(std::move(storage), description, std::move(record));
  auto* managed = Make<DLManagedTensorVersioned>(std::move(storage), description, std::move(record));
  managed->version = description.version;
  managed->flags = description.flags;
  return managed;
}

std::shared_ptr<core::Storage> StorageOf(const void* managed, bool versioned) {
  return versioned ? Behind<DLManagedTensorVersioned>(managed, &Exported<DLManagedTensorVersioned>::storage)
                   : Behind<DLManagedTensor>(managed, &Exported<DLManagedTensor>::storage);
}

std::shared_ptr<ExportRecord> RecordOf(const void* managed, bool versioned) {
  return versioned ? Behind<DLManagedTensorVersioned>(managed, &Exported<DLManagedTensorVersioned>::record)
                   : Behind<DLManagedTensor>(managed, &Exported<DLManagedTensor>::record);
}

}  // namespace stridelab::dlpack

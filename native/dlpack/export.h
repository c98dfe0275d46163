// Managed tensors over Stridelab storages.
#pragma once

#include <cstdint>
#include <memory>

#include "core/storage.h"
#include "dlpack/export_log.h"
#include "dlpack/layout.h"

namespace stridelab::dlpack {

/** The fields of a managed tensor; shape and strides are copied. */
struct Description {
  bool versioned;
  DLPackVersion version;
  std::uint64_t flags;
  DLDevice device;
  DLDataType dtype;
  std::int32_t ndim;
  const std::int64_t* shape;
  /** Strides in elements. */
  const std::int64_t* strides;
  /** Bytes from the start of the storage to the first logical element. */
  std::uint64_t offset;
};

/**
 * Makes a DLManagedTensor, or a DLManagedTensorVersioned, with one reference to the storage. Its deleter may
 * be called on any thread, even after the environment has ended: it is native and only drops that reference
 * (rule 171). `data` holds the full address and `byte_offset` is 0 (rule 114); `data` is NULL if the tensor
 * has no elements (rule 111). Strides are never NULL for a tensor with axes (rule 118). The record, if there
 * is one, notes when the deleter runs.
 */
void* Export(std::shared_ptr<core::Storage> storage, const Description& description,
             std::shared_ptr<ExportRecord> record = nullptr);

/** Returns the record of a tensor that Export made; null without one, and for any other tensor. */
std::shared_ptr<ExportRecord> RecordOf(const void* managed, bool versioned);

/** Returns the storage of a tensor that Export of this load of the addon made, null for any other. */
std::shared_ptr<core::Storage> StorageOf(const void* managed, bool versioned);

}  // namespace stridelab::dlpack

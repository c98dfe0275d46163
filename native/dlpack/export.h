// Managed tensors over our own storage.
#pragma once

#include <cstdint>
#include <memory>

#include "core/storage.h"
#include "dlpack/export_log.h"
#include "dlpack/layout.h"

namespace stridelab::dlpack {

/** What a managed tensor is made of; shape and strides are copied. */
struct Description {
  bool versioned;
  DLPackVersion version;
  std::uint64_t flags;
  DLDevice device;
  DLDataType dtype;
  std::int32_t ndim;
  const std::int64_t* shape;
  /** Elements. */
  const std::int64_t* strides;
  /** Bytes from the start of the storage to the first logical element. */
  std::uint64_t offset;
};

/**
 * A DLManagedTensor, or a DLManagedTensorVersioned, with one reference to the storage. Its deleter may be
 * called on any thread, after the end of the environment too: it is native and drops that reference alone
 * (rule 171). All of the address is in `data`, `byte_offset` is 0 (rule 114); `data` is NULL where the tensor
 * has no elements (rule 111). Strides are never NULL for a tensor with axes (rule 118). The deleter is noted
 * in the record, where there is one.
 */
void* Export(std::shared_ptr<core::Storage> storage, const Description& description,
             std::shared_ptr<ExportRecord> record = nullptr);

/** The record of a tensor that Export made; null without one, and for any other tensor. */
std::shared_ptr<ExportRecord> RecordOf(const void* managed, bool versioned);

/** The storage of a tensor that Export of this load of the addon made, null for any other. */
std::shared_ptr<core::Storage> StorageOf(const void* managed, bool versioned);

}  // namespace stridelab::dlpack

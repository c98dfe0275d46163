// The native record of an array, made once for each array that is exchanged through native code.
#pragma once

#include <napi.h>

#include <memory>
#include <utility>

#include "binding/object.h"
#include "core/storage.h"
#include "dlpack/array_view.h"
#include "python/element_type.h"

namespace stridelab::binding {

class ArrayRecord;

/** A link from an object made of an array back to the array's record, while the record exists. */
struct RecordLink {
  napi_env home;
  /** Changed only on the environment's thread; null once the record is destroyed. */
  ArrayRecord* record;
};

class ArrayRecord {
 public:
  ArrayRecord(napi_env home, const std::shared_ptr<core::Storage>& storage,
              std::shared_ptr<dlpack::ArrayView> view);
  ~ArrayRecord();
  ArrayRecord(const ArrayRecord&) = delete;
  ArrayRecord& operator=(const ArrayRecord&) = delete;

  /** Finds the record of an array of this load of the addon. Returns null for any other value. */
  static ArrayRecord* Find(napi_env env, napi_value value);
  /** Attaches the record to the array, which then owns it. */
  static void Attach(Napi::Env env, Napi::Value array, std::unique_ptr<ArrayRecord> record);

  /** The environment that the array belongs to, for its errors. A caller may be in another one. */
  napi_env home() const { return link_->home; }
  bool forgotten() const { return forgotten_; }
  void Forget() { forgotten_ = true; }
  dlpack::ArrayView& view() const { return *view_; }
  const std::shared_ptr<dlpack::ArrayView>& shared_view() const { return view_; }
  std::shared_ptr<const RecordLink> link() const { return link_; }
  /** The dtype as exposed to Python; null until Attach of NativePythonArrays sets it. */
  const std::shared_ptr<const python::ElementType>& element() const { return element_; }
  /** True if the memory belongs to a JAX array. */
  bool of_jax() const { return of_jax_; }
  void SetElement(std::shared_ptr<const python::ElementType> element, bool of_jax) {
    element_ = std::move(element);
    of_jax_ = of_jax;
  }
  /** The array itself, null if it was freed. On the environment's thread. */
  napi_value Array() const;

  /** Returns the storage. Throws kind `freed` if the memory was freed. */
  std::shared_ptr<core::Storage> Lock() const;

 private:
  static void Finalize(node_api_basic_env env, void* data, void* hint);

  std::shared_ptr<RecordLink> link_;
  std::weak_ptr<core::Storage> storage_;
  std::shared_ptr<dlpack::ArrayView> view_;
  std::shared_ptr<const python::ElementType> element_;
  napi_ref array_ = nullptr;
  bool forgotten_ = false;
  bool of_jax_ = false;
  const Living<ArrayRecord> living_{this};
};

}  // namespace stridelab::binding

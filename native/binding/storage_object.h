// NativeStorage.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/entry.h"
#include "binding/release_table.h"
#include "binding/tagged_object.h"
#include "core/storage.h"

namespace stridelab::binding {

/** What a StorageObject is made of: the block, and the bytes that V8 is told of. */
struct StorageHandle {
  std::shared_ptr<core::Storage> storage;
  std::size_t pressure;
};

class StorageObject : public NativeObject<StorageObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0xd83b52907fe14604};
  static constexpr const char* kName = "NativeStorage";
  static Napi::Function Define(Napi::Env env);

  explicit StorageObject(const Napi::CallbackInfo& info);
  ~StorageObject() override;
  /** Throws kind `freed` after release. */
  core::Storage& native() const;

 private:
  Napi::Value Device(const Napi::CallbackInfo& info);
  Napi::Value Kind(const Napi::CallbackInfo& info);
  Napi::Value Bytes(const Napi::CallbackInfo& info);
  Napi::Value Pointer(const Napi::CallbackInfo& info);
  Napi::Value Released(const Napi::CallbackInfo& info);
  Napi::Value Unshared(const Napi::CallbackInfo& info);
  Napi::Value Release(const Napi::CallbackInfo& info);
  Napi::Value Share(const Napi::CallbackInfo& info);
  Napi::Value Prepare(const Napi::CallbackInfo& info);
  Napi::Value RecordUse(const Napi::CallbackInfo& info);
  Napi::Value NotePending(const Napi::CallbackInfo& info);
  Napi::Value SetProducer(const Napi::CallbackInfo& info);
  Napi::Value Uses(const Napi::CallbackInfo& info);
  Napi::Value Join(const Napi::CallbackInfo& info);
  Napi::Value WriteFromHost(const Napi::CallbackInfo& info);
  Napi::Value ReadToHost(const Napi::CallbackInfo& info);
  Napi::Value ReadToHostAsync(const Napi::CallbackInfo& info);
  Napi::Value WriteStaged(const Napi::CallbackInfo& info);
  Napi::Value ReadStaged(const Napi::CallbackInfo& info);
  Napi::Value CopyFrom(const Napi::CallbackInfo& info);
  Napi::Value Fill(const Napi::CallbackInfo& info);

  /** Drops the JavaScript reference and tells V8 that the bytes are gone. */
  void Drop();

  std::shared_ptr<core::Storage> storage_;
  std::shared_ptr<ReleaseTable> releases_;
  std::size_t pressure_ = 0;
  core::Device* device_ = nullptr;
  core::MemoryKind kind_ = core::MemoryKind::kDevice;
  std::size_t bytes_ = 0;
  const Living<StorageObject> living_{this};
};

}  // namespace stridelab::binding

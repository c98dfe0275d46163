// NativeStorage.
#pragma once

#include <memory>

#include "binding/object.h"
#include "core/storage.h"

namespace stridelab::binding {

/** The contents of a StorageObject: the block, and the bytes that V8 counts for it. */
struct StorageHandle {
  std::shared_ptr<core::Storage> storage;
  std::size_t pressure = 0;
};

class StorageObject : public NativeObject<StorageObject, StorageHandle> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0xd83b52907fe14604};
  static constexpr const char* kName = "NativeStorage";
  static constexpr ObjectClass kClass = ObjectClass::kStorage;
  static const Functions kMethods;

  explicit StorageObject(const Napi::CallbackInfo& info);
  ~StorageObject() override;
  /** Throws kind `freed` after Release. */
  const std::shared_ptr<core::Storage>& native() const;

  // Also valid after Release.
  core::Device& device() const { return device_; }
  core::MemoryKind kind() const { return kind_; }
  std::size_t bytes() const { return bytes_; }
  bool released() const { return held_.storage == nullptr; }
  bool unshared() const { return held_.storage.use_count() == 1; }
  void Release();

 private:
  /** Drops the JavaScript reference, and its bytes from V8's count. */
  void Drop();

  std::shared_ptr<ReleaseTable> releases_;
  core::Device& device_ = held_.storage->device();
  core::MemoryKind kind_ = held_.storage->kind();
  std::size_t bytes_ = held_.storage->bytes();
};

inline const std::shared_ptr<core::Storage>& Convert(const Argument& argument,
                                                     As<std::shared_ptr<core::Storage>>) {
  return Convert(argument, As<StorageObject>{}).native();
}
inline core::Storage& Convert(const Argument& argument, As<core::Storage>) {
  return *Convert(argument, As<StorageObject>{}).native();
}

inline napi_value ToValue(Env env, const StorageHandle& handle) {
  return Environment::Of(env).New<StorageObject>(handle);
}

}  // namespace stridelab::binding

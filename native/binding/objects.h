// The JavaScript classes around objects of the core; the methods of each are in a separate file.
#pragma once

#include <memory>
#include <vector>

#include "binding/object.h"
#include "collectives/communicator.h"
#include "core/capture.h"
#include "core/device.h"
#include "core/event.h"
#include "core/module.h"
#include "core/storage.h"
#include "core/stream.h"

namespace stridelab::binding {

class DeviceObject : public NativeObject<DeviceObject, core::Device*> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kDevice, "NativeDevice", 0x6b1f0e5d7a3c4901};
  static const Functions kMethods;
  using NativeObject::NativeObject;
};

class StreamObject : public NativeObject<StreamObject, std::shared_ptr<core::Stream>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kStream, "NativeStream", 0x2d94c1f8b06e4a02};
  static const Functions kMethods;

  explicit StreamObject(const Napi::CallbackInfo& info);
  ~StreamObject() override;

 private:
  std::shared_ptr<StreamObjects> known_;
};

class EventObject : public NativeObject<EventObject, std::shared_ptr<core::Event>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kEvent, "NativeEvent", 0x91a7e36f5c284d03};
  static const Functions kMethods;
  using NativeObject::NativeObject;

  /** Throws kind `freed` after Destroy. */
  const std::shared_ptr<core::Event>& native() const;

  // Also valid after Destroy.
  core::Device& device() const { return device_; }
  bool timing() const { return timing_; }
  void Destroy() { held_.reset(); }

 private:
  core::Device& device_ = held_->device();
  bool timing_ = held_->timing();
};

/** The contents of a StorageObject: the block, and the bytes that V8 counts for it. */
struct StorageHandle {
  std::shared_ptr<core::Storage> storage;
  std::size_t pressure = 0;
};

class StorageObject : public NativeObject<StorageObject, StorageHandle> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kStorage, "NativeStorage", 0xd83b52907fe14604};
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
  /** Drops the reference; returns whether it was the only one. */
  bool Release();

 private:
  /** Drops the JavaScript reference, and its bytes from V8's count. */
  void Drop();

  std::shared_ptr<ReleaseTable> releases_;
  core::Device& device_ = held_.storage->device();
  core::MemoryKind kind_ = held_.storage->kind();
  std::size_t bytes_ = held_.storage->bytes();
};

class GraphObject : public NativeObject<GraphObject, std::shared_ptr<core::Graph>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kGraph, "NativeGraph", 0x47c0e9b21d6f4a05};
  static const Functions kMethods;
  using NativeObject::NativeObject;

  ~GraphObject() override;
  /** Throws kind `freed` after Destroy. */
  const std::shared_ptr<core::Graph>& native() const;

  /** Valid after Destroy too. */
  core::Device& device() const { return device_; }
  void Destroy();

 private:
  std::shared_ptr<ReleaseTable> releases_ = Environment::Of(Env()).releases();
  core::Device& device_ = held_->device();
};

class ModuleObject : public NativeObject<ModuleObject, std::shared_ptr<core::Module>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kModule, "NativeModule", 0x5be07d2a91c34f06};
  static const Functions kMethods;
  using NativeObject::NativeObject;
};

struct KernelHandle {
  std::shared_ptr<core::Kernel> kernel;
  /** Bytes of each parameter, from the driver or the caller. */
  std::vector<core::Parameter> parameters;
};

class KernelObject : public NativeObject<KernelObject, KernelHandle> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kKernel, "NativeKernel", 0xc2481f6be93a4d07};
  static const Functions kMethods;

  explicit KernelObject(const Napi::CallbackInfo& info);

  const std::shared_ptr<core::Kernel>& native() const { return held_.kernel; }
  Napi::Value config() const { return config_.Value(); }
  Napi::Value operands() const { return operand_keys_.Value(); }
  Napi::Value values() const { return values_.Value(); }
  /** Launches with what JavaScript wrote, and `count` operands. Returns the number of the operation. */
  std::uint64_t Launch(const std::shared_ptr<core::Stream>& stream, std::size_t count,
                       const core::InterruptFlag& interrupt);

 private:
  /** Memory into which JavaScript writes a launch, so that a launch is one call with few arguments. */
  Napi::Reference<Napi::Uint32Array> config_;
  Napi::Reference<Napi::Uint32Array> operand_keys_;
  Napi::Reference<Napi::ArrayBuffer> values_;
  const std::uint32_t* config_words_ = nullptr;
  const std::uint32_t* keys_ = nullptr;
  std::vector<void*> value_pointers_;
  std::vector<core::Operand> operands_;
};

class CommunicatorObject
    : public NativeObject<CommunicatorObject, std::shared_ptr<collectives::Communicator>> {
 public:
  static constexpr ClassInfo kInfo{ObjectClass::kCommunicator, "NativeCommunicator", 0x4fd2870ba6195e08};
  static const Functions kMethods;
  using NativeObject::NativeObject;
};

DeviceObject* ObjectFor(As<core::Device>);
StreamObject* ObjectFor(As<core::Stream>);
EventObject* ObjectFor(As<core::Event>);
StorageObject* ObjectFor(As<core::Storage>);
GraphObject* ObjectFor(As<core::Graph>);
ModuleObject* ObjectFor(As<core::Module>);
KernelObject* ObjectFor(As<core::Kernel>);
CommunicatorObject* ObjectFor(As<collectives::Communicator>);

inline napi_value ToValue(Env env, const StorageHandle& handle) {
  return Environment::Of(env).New<StorageObject>(handle);
}

}  // namespace stridelab::binding

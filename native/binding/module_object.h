// NativeModule and NativeKernel.
#pragma once

#include <memory>
#include <vector>

#include "binding/object.h"
#include "core/module.h"

namespace stridelab::binding {

class ModuleObject : public NativeObject<ModuleObject, std::shared_ptr<core::Module>> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x5be07d2a91c34f06};
  static constexpr const char* kName = "NativeModule";
  static constexpr ObjectClass kClass = ObjectClass::kModule;
  static const Functions kMethods;

  explicit ModuleObject(const Napi::CallbackInfo& info) : NativeObject(info) {}
};

inline core::Module& Convert(const Argument& argument, As<core::Module>) {
  return *Convert(argument, As<ModuleObject>{}).held();
}

struct KernelHandle {
  std::shared_ptr<core::Kernel> kernel;
  /** Bytes of each parameter, from the driver or the caller. */
  std::vector<core::Parameter> parameters;
};

class KernelObject : public NativeObject<KernelObject, KernelHandle> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0xc2481f6be93a4d07};
  static constexpr const char* kName = "NativeKernel";
  static constexpr ObjectClass kClass = ObjectClass::kKernel;
  static const Functions kMethods;

  explicit KernelObject(const Napi::CallbackInfo& info);

  Napi::Value config() const { return config_.Value(); }
  Napi::Value values() const { return values_.Value(); }
  /** Launches with the arrays of the call. Returns the number of the operation. */
  std::uint64_t Launch(const std::shared_ptr<core::Stream>& stream, const Rest& storages,
                       const core::InterruptFlag& interrupt);

 private:
  /** Memory into which JavaScript writes a launch, so that a launch is one call with few arguments. */
  Napi::Reference<Napi::Uint32Array> config_;
  Napi::Reference<Napi::ArrayBuffer> values_;
  const std::uint32_t* config_words_ = nullptr;
  std::vector<void*> value_pointers_;
  std::vector<core::Operand> operands_;
};

inline core::Kernel& Convert(const Argument& argument, As<core::Kernel>) {
  return *Convert(argument, As<KernelObject>{}).held().kernel;
}

}  // namespace stridelab::binding

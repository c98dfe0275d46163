// NativeModule and NativeKernel.
#pragma once

#include <napi.h>

#include <memory>
#include <vector>

#include "binding/entry.h"
#include "binding/tagged_object.h"
#include "core/module.h"

namespace stridelab::binding {

class ModuleObject : public NativeObject<ModuleObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x5be07d2a91c34f06};
  static constexpr const char* kName = "NativeModule";
  static Napi::Function Define(Napi::Env env);

  explicit ModuleObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Device(const Napi::CallbackInfo& info);
  Napi::Value FindKernel(const Napi::CallbackInfo& info);
  Napi::Value FindGlobal(const Napi::CallbackInfo& info);
  Napi::Value Unload(const Napi::CallbackInfo& info);

  std::shared_ptr<core::Module> module_;
  const Living<ModuleObject> living_{this};
};

/** What FindKernel hands to the constructor. */
struct KernelHandle {
  std::shared_ptr<core::Kernel> kernel;
  /** Bytes of each parameter, as the driver or the caller says. */
  std::vector<core::Parameter> parameters;
};

class KernelObject : public NativeObject<KernelObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0xc2481f6be93a4d07};
  static constexpr const char* kName = "NativeKernel";
  static Napi::Function Define(Napi::Env env);

  explicit KernelObject(const Napi::CallbackInfo& info);

 private:
  Napi::Value Config(const Napi::CallbackInfo& info);
  Napi::Value Values(const Napi::CallbackInfo& info);
  Napi::Value Parameters(const Napi::CallbackInfo& info);
  Napi::Value Attributes(const Napi::CallbackInfo& info);
  Napi::Value BlocksPerMultiprocessor(const Napi::CallbackInfo& info);
  Napi::Value SuggestBlock(const Napi::CallbackInfo& info);
  Napi::Value Launch(const Napi::CallbackInfo& info);

  std::shared_ptr<core::Kernel> kernel_;
  std::vector<core::Parameter> parameters_;
  /** Memory that JavaScript writes a launch into, so that a launch is one call with few arguments. */
  Napi::Reference<Napi::Uint32Array> config_;
  Napi::Reference<Napi::ArrayBuffer> values_;
  const std::uint32_t* config_words_ = nullptr;
  std::vector<void*> value_pointers_;
  std::vector<core::Operand> operands_;
  const Living<KernelObject> living_{this};
};

}  // namespace stridelab::binding

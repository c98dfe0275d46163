// NativeGraph.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/entry.h"
#include "binding/release_table.h"
#include "binding/tagged_object.h"
#include "core/capture.h"

namespace stridelab::binding {

class GraphObject : public NativeObject<GraphObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x47c0e9b21d6f4a05};
  static constexpr const char* kName = "NativeGraph";
  static Napi::Function Define(Napi::Env env);

  explicit GraphObject(const Napi::CallbackInfo& info);
  ~GraphObject() override;

 private:
  Napi::Value Device(const Napi::CallbackInfo& info);
  Napi::Value Launch(const Napi::CallbackInfo& info);
  Napi::Value Destroy(const Napi::CallbackInfo& info);

  std::shared_ptr<core::Graph> graph_;
  std::shared_ptr<ReleaseTable> releases_;
  core::Device* device_ = nullptr;
  const Living<GraphObject> living_{this};
};

}  // namespace stridelab::binding

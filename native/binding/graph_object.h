// NativeGraph.
#pragma once

#include <memory>

#include "binding/object.h"
#include "core/capture.h"

namespace stridelab::binding {

class GraphObject : public NativeObject<GraphObject, std::shared_ptr<core::Graph>> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x47c0e9b21d6f4a05};
  static constexpr const char* kName = "NativeGraph";
  static constexpr ObjectClass kClass = ObjectClass::kGraph;
  static const Functions kMethods;

  explicit GraphObject(const Napi::CallbackInfo& info)
      : NativeObject(info), releases_(Environment::Of(info.Env()).releases()) {}
  ~GraphObject() override;

  /** Valid after Destroy too. */
  core::Device& device() const { return device_; }
  void Destroy();

 private:
  std::shared_ptr<ReleaseTable> releases_;
  core::Device& device_ = held_->device();
};

/** Throws kind `freed` after Destroy. */
inline core::Graph& Convert(const Argument& argument, As<core::Graph>) {
  const auto& graph = Convert(argument, As<GraphObject>{}).held();
  if (graph == nullptr) throw core::Error(core::ErrorKind::kFreed, "the graph was destroyed");
  return *graph;
}

}  // namespace stridelab::binding

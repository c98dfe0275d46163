// NativeProgram.
#pragma once

#include <napi.h>

#include <memory>

#include "binding/tagged_object.h"
#include "compute/program.h"

namespace stridelab::binding {

class ProgramObject : public Napi::ObjectWrap<ProgramObject> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x1f73b8e05d2a4c08};
  static constexpr const char* kName = "NativeProgram";
  static Napi::Function Define(Napi::Env env);

  explicit ProgramObject(const Napi::CallbackInfo& info);
  const std::shared_ptr<const compute::Program>& native() const { return program_; }

 private:
  std::shared_ptr<const compute::Program> program_;
  const Living<ProgramObject> living_{this};
};

}  // namespace stridelab::binding

// NativeStream.
#pragma once

#include <memory>

#include "binding/object.h"
#include "core/stream.h"

namespace stridelab::binding {

class StreamObject : public NativeObject<StreamObject, std::shared_ptr<core::Stream>> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x2d94c1f8b06e4a02};
  static constexpr const char* kName = "NativeStream";
  static constexpr ObjectClass kClass = ObjectClass::kStream;
  static const Functions kMethods;

  explicit StreamObject(const Napi::CallbackInfo& info);
  ~StreamObject() override;

 private:
  std::shared_ptr<StreamObjects> known_;
};

inline const std::shared_ptr<core::Stream>& Convert(const Argument& argument,
                                                    As<std::shared_ptr<core::Stream>>) {
  return Convert(argument, As<StreamObject>{}).held();
}
inline core::Stream& Convert(const Argument& argument, As<core::Stream>) {
  return *Convert(argument, As<StreamObject>{}).held();
}

}  // namespace stridelab::binding

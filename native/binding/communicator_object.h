// NativeCommunicator.
#pragma once

#include <memory>

#include "binding/object.h"
#include "collectives/communicator.h"

namespace stridelab::binding {

class CommunicatorObject
    : public NativeObject<CommunicatorObject, std::shared_ptr<collectives::Communicator>> {
 public:
  static constexpr napi_type_tag kTag = {0x53545249444c4142, 0x4fd2870ba6195e08};
  static constexpr const char* kName = "NativeCommunicator";
  static constexpr ObjectClass kClass = ObjectClass::kCommunicator;
  static const Functions kMethods;

  explicit CommunicatorObject(const Napi::CallbackInfo& info) : NativeObject(info) {}
};

inline collectives::Communicator& Convert(const Argument& argument, As<collectives::Communicator>) {
  return *Convert(argument, As<CommunicatorObject>{}).held();
}

}  // namespace stridelab::binding

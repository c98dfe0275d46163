// The state of the addon for one JavaScript environment: the main thread, each worker and each load of the
// addon has one. Devices and drivers are shared by the whole process.
#pragma once

#include <napi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

#include "binding/python_state.h"
#include "binding/release_table.h"
#include "core/driver.h"
#include "core/stream.h"
#include "core/wait.h"

namespace stridelab::binding {

class ChannelTable;
class LinkTable;
class StreamObject;
struct DlpackState;

/** The indices of the classes in the environment. */
enum class ObjectClass : std::size_t {
  kDevice,
  kStream,
  kEvent,
  kStorage,
  kGraph,
  kModule,
  kKernel,
  kCommunicator,
  kCount,
};

/** The wrapper of each stream, while JavaScript holds it. Wrappers share the map, since they may outlive the
 * environment. */
using StreamObjects = std::unordered_map<const core::Stream*, StreamObject*>;

class Environment {
 public:
  /** Defines the classes of this environment. */
  explicit Environment(Napi::Env env);
  ~Environment();
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  static Environment& Of(Napi::Env env);

  Napi::Object Wrap(const std::shared_ptr<core::Stream>& stream);
  /** Returns the object of a device, which lives as long as the environment. */
  Napi::Object Wrap(core::Device& device);
  /** Returns the object of a default stream, kept so that every call returns the same object. */
  Napi::Object WrapDefault(const std::shared_ptr<core::Stream>& stream);

  /** Makes an object of a native class, which copies `held`. JavaScript cannot construct them. */
  template <typename Object>
  Napi::Object New(const typename Object::Held& held) {
    return Construct(Object::kClass, static_cast<const void*>(&held));
  }
  /** Takes the pointer that New hands to a constructor. Throws kind `argument` if JavaScript called `new`. */
  const void* TakeHandedOver();

  const std::shared_ptr<StreamObjects>& streams() const { return streams_; }
  const std::shared_ptr<ReleaseTable>& releases() const { return releases_; }
  core::InterruptFlag interrupt() const { return interrupt_; }
  /** Sets the interrupt flag. `await_stop` may be empty. */
  void SetInterrupt(std::int32_t* word, Napi::Object owner, Napi::FunctionReference await_stop);
  void RemoveInterrupt();
  /** The object that keeps the flag's memory alive for a wait on another thread. Undefined without a flag. */
  Napi::Value interrupt_owner() const {
    return interrupt_owner_.IsEmpty() ? env_.Undefined() : interrupt_owner_.Value();
  }
  /** The function that an interrupted call must call before it throws. Empty if there is none. */
  const Napi::FunctionReference& await_stop() const { return await_stop_; }
  const Napi::FunctionReference& error_factory() const { return error_factory_; }
  void SetErrorFactory(Napi::Function factory) { error_factory_ = Napi::Persistent(factory); }

  /** The functions that hazard detection calls for the caller's stack and with reports. Empty until set. */
  const Napi::FunctionReference& hazard_stack() const { return hazard_stack_; }
  const Napi::FunctionReference& hazard_deliver() const { return hazard_deliver_; }
  void SetHazardListener(Napi::Function stack, Napi::Function deliver) {
    hazard_stack_ = Napi::Persistent(stack);
    hazard_deliver_ = Napi::Persistent(deliver);
  }

  PythonState& python() { return python_; }

  // The state of parts of the binding.
  ChannelTable& channels() { return *channels_; }
  LinkTable& links() { return *links_; }
  DlpackState& dlpack() { return *dlpack_; }
  DlpackState& python_import() { return *python_import_; }

 private:
  template <typename Object>
  void Define();
  Napi::Object Construct(ObjectClass index, const void* held);

  Napi::Env env_;
  std::array<Napi::FunctionReference, static_cast<std::size_t>(ObjectClass::kCount)> classes_;
  Napi::FunctionReference error_factory_;
  Napi::FunctionReference hazard_stack_;
  Napi::FunctionReference hazard_deliver_;
  PythonState python_;
  Napi::ObjectReference interrupt_owner_;
  Napi::FunctionReference await_stop_;
  core::InterruptFlag interrupt_;
  std::unordered_map<const core::Device*, Napi::ObjectReference> devices_;
  std::unordered_map<const core::Stream*, Napi::ObjectReference> default_streams_;
  std::shared_ptr<StreamObjects> streams_ = std::make_shared<StreamObjects>();
  std::shared_ptr<ReleaseTable> releases_;
  std::unique_ptr<ChannelTable> channels_;
  std::unique_ptr<LinkTable> links_;
  std::unique_ptr<DlpackState> dlpack_;
  std::unique_ptr<DlpackState> python_import_;
  const void* handed_over_ = nullptr;
};

}  // namespace stridelab::binding

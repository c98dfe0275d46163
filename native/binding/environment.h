// What the addon keeps for one JavaScript environment: the main thread, each worker and each load of the
// addon has its own. Devices and drivers behind it are shared by the whole process.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "binding/python_state.h"
#include "binding/release_table.h"
#include "core/driver.h"
#include "core/stream.h"
#include "core/wait.h"

namespace stridelab::binding {

class StreamObject;

/** The wrapper of each stream, as long as JavaScript holds it. Wrappers share it, since they may outlive the
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
  /** Device objects live as long as the environment. */
  Napi::Object Wrap(core::Device& device);
  Napi::Array Devices(core::DriverKind kind);
  /** Default streams too, so that they are the same objects on every call. */
  Napi::Object WrapDefault(const std::shared_ptr<core::Stream>& stream);

  /** Makes an object of one of our classes; its constructor takes `native` over. JavaScript cannot construct
   * them. */
  Napi::Object Construct(const Napi::FunctionReference& constructor, const void* native);
  /** For constructors: what Construct hands over. Throws kind `argument` where JavaScript called `new`. */
  const void* TakeHandedOver();

  const std::shared_ptr<StreamObjects>& streams() const { return streams_; }
  const std::shared_ptr<ReleaseTable>& releases() const { return releases_; }
  core::InterruptFlag interrupt() const { return interrupt_; }
  /** `await_stop` may be empty. */
  void SetInterrupt(std::int32_t* word, Napi::Object owner, Napi::FunctionReference await_stop);
  void RemoveInterrupt();
  /** Keeps the memory of the flag, which a wait on another thread needs until it ends. Undefined without a
   * flag. */
  Napi::Value interrupt_owner() const {
    return interrupt_owner_.IsEmpty() ? env_.Undefined() : interrupt_owner_.Value();
  }
  /** What a call that the flag ended has to call before it throws. Empty without. */
  const Napi::FunctionReference& await_stop() const { return await_stop_; }
  const Napi::FunctionReference& error_factory() const { return error_factory_; }
  void SetErrorFactory(Napi::Function factory) { error_factory_ = Napi::Persistent(factory); }

  /** What hazard detection asks for the caller's stack, and tells of reports. Empty until set. */
  const Napi::FunctionReference& hazard_stack() const { return hazard_stack_; }
  const Napi::FunctionReference& hazard_deliver() const { return hazard_deliver_; }
  void SetHazardListener(Napi::Function stack, Napi::Function deliver) {
    hazard_stack_ = Napi::Persistent(stack);
    hazard_deliver_ = Napi::Persistent(deliver);
  }

  PythonState& python() { return python_; }

  const Napi::FunctionReference& device_class() const { return device_class_; }
  const Napi::FunctionReference& stream_class() const { return stream_class_; }
  const Napi::FunctionReference& event_class() const { return event_class_; }
  const Napi::FunctionReference& storage_class() const { return storage_class_; }
  const Napi::FunctionReference& graph_class() const { return graph_class_; }
  const Napi::FunctionReference& module_class() const { return module_class_; }
  const Napi::FunctionReference& kernel_class() const { return kernel_class_; }
  const Napi::FunctionReference& communicator_class() const { return communicator_class_; }

 private:
  Napi::Env env_;
  Napi::FunctionReference device_class_;
  Napi::FunctionReference stream_class_;
  Napi::FunctionReference event_class_;
  Napi::FunctionReference storage_class_;
  Napi::FunctionReference graph_class_;
  Napi::FunctionReference module_class_;
  Napi::FunctionReference kernel_class_;
  Napi::FunctionReference communicator_class_;
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
  const void* handed_over_ = nullptr;
};

}  // namespace stridelab::binding

// The state of the addon for one JavaScript environment: the main thread, each worker and each load of the
// addon has one. Devices and drivers are shared by the whole process.
#pragma once

#include <napi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>

#include "binding/python_state.h"
#include "binding/release_table.h"
#include "core/driver.h"
#include "core/stream.h"
#include "core/wait.h"

namespace stridelab::binding {

class ChannelTable;
class KernelMail;
class LinkTable;
class StreamObject;
struct DlpackState;

enum class ObjectClass : std::size_t {
  kDevice,
  kStream,
  kEvent,
  kStorage,
  kGraph,
  kModule,
  kKernel,
  kCommunicator,
  kProgram,
  kElementType,
  kKernelProgram,
  kCount,
};

/** The wrapper of each stream, while JavaScript holds it. Wrappers share the map, since they may outlive the
 * environment. */
using StreamObjects = std::unordered_map<const core::Stream*, StreamObject*>;

/** The functions and memory that JavaScript provides to native code. Each is empty until it is set. */
struct Hooks {
  struct Interrupt {
    core::InterruptFlag flag;
    /** Keeps the flag's memory alive. */
    Napi::ObjectReference owner;
    /** An interrupted call must call it before it throws. */
    Napi::FunctionReference await_stop;
  };

  Interrupt interrupt;
  Napi::FunctionReference error_factory;
  /** Hazard detection calls them for the caller's stack, and with reports. */
  Napi::FunctionReference hazard_stack;
  Napi::FunctionReference hazard_deliver;
};

/** The memory in which JavaScript passes the numbers of an array operation; empty until it asks for it. */
struct ComputeMemory {
  Napi::Reference<Napi::Float64Array> array;
  std::span<const double> words;
};

class Environment {
 public:
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
    Napi::FunctionReference& constructor = classes_[static_cast<std::size_t>(Object::kInfo.index)];
    if (constructor.IsEmpty()) constructor = Napi::Persistent(Object::Define(env_));
    return Construct(constructor, static_cast<const void*>(&held));
  }
  /** Takes the pointer that New hands to a constructor. Throws kind `argument` if JavaScript called `new`. */
  const void* TakeHandedOver();

  const std::shared_ptr<StreamObjects>& streams() const { return streams_; }
  const std::shared_ptr<ReleaseTable>& releases() const { return releases_; }
  core::InterruptFlag interrupt() const { return hooks_.interrupt.flag; }
  Hooks& hooks() { return hooks_; }

  PythonState& python() { return python_; }

  // The state of parts of the binding.
  ChannelTable& channels() { return *channels_; }
  /** Null until the first link. */
  std::shared_ptr<LinkTable>& links() { return links_; }
  DlpackState& dlpack() { return *dlpack_; }
  KernelMail& kernel_mail() { return *kernel_mail_; }
  ComputeMemory& compute_memory() { return compute_memory_; }
  DlpackState& python_import() { return *python_import_; }

 private:
  Napi::Object Construct(const Napi::FunctionReference& constructor, const void* held);

  Napi::Env env_;
  /** The constructors of classes that have objects. */
  std::array<Napi::FunctionReference, static_cast<std::size_t>(ObjectClass::kCount)> classes_;
  Hooks hooks_;
  PythonState python_;
  std::unordered_map<const core::Device*, Napi::ObjectReference> devices_;
  std::unordered_map<const core::Stream*, Napi::ObjectReference> default_streams_;
  std::shared_ptr<StreamObjects> streams_ = std::make_shared<StreamObjects>();
  std::shared_ptr<ReleaseTable> releases_;
  std::shared_ptr<ChannelTable> channels_;
  std::shared_ptr<LinkTable> links_;
  std::unique_ptr<DlpackState> dlpack_;
  std::unique_ptr<DlpackState> python_import_;
  std::unique_ptr<KernelMail> kernel_mail_;
  ComputeMemory compute_memory_;
  const void* handed_over_ = nullptr;
};

}  // namespace stridelab::binding

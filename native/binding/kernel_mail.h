// What kernels of simulated devices report to one JavaScript environment.
#pragma once

#include <napi.h>

#include <cstdint>
#include <memory>

#include "kernels/fault.h"

namespace stridelab::binding {

class KernelMail {
 public:
  explicit KernelMail(Napi::Env env) {
    Napi::ArrayBuffer memory = Napi::ArrayBuffer::New(env, sizeof(std::int32_t));
    word_ = Napi::Persistent(Napi::Int32Array::New(env, 1, memory, 0).As<Napi::Object>());
    box_->Attach(static_cast<std::int32_t*>(memory.Data()));
  }
  ~KernelMail() { box_->Attach(nullptr); }
  KernelMail(const KernelMail&) = delete;
  KernelMail& operator=(const KernelMail&) = delete;

  /** Launches that still run share it after the environment ends. */
  const std::shared_ptr<kernels::Mailbox>& box() const { return box_; }
  /** The Int32Array of `Mailbox::Attach`. */
  Napi::Value word() const { return word_.Value(); }

 private:
  std::shared_ptr<kernels::Mailbox> box_ = std::make_shared<kernels::Mailbox>();
  Napi::ObjectReference word_;
};

}  // namespace stridelab::binding

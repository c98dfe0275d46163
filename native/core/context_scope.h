// Makes a CUDA context current for a scope, so that each driver call runs in the context of its object.
#pragma once

#include "core/error.h"
#include "driver/driver_table.h"

namespace stridelab::core {

/**
 * Makes a context current for the lifetime of the object, then restores the previous one. A thread without a
 * current context keeps device 0's primary context, as it would with the CUDA runtime: this saves a push and
 * a pop on every later call.
 */
class ContextScope {
 public:
  ContextScope(const driver::DriverTable& table, driver::CUcontext context, int ordinal) : table_(table) {
    driver::CUcontext current = nullptr;
    CallDriver<&DriverTable::cuCtxGetCurrent>(table, &current);
    if (current == context) return;
    CallDriver<&DriverTable::cuCtxPushCurrent>(table, context);
    pushed_ = current != nullptr || ordinal != 0;
  }
  ~ContextScope() {
    driver::CUcontext popped = nullptr;
    if (pushed_) table_.cuCtxPopCurrent(&popped);
  }
  ContextScope(const ContextScope&) = delete;
  ContextScope& operator=(const ContextScope&) = delete;

 private:
  const driver::DriverTable& table_;
  bool pushed_ = false;
};

}  // namespace stridelab::core

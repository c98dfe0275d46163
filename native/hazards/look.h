// Inspections (`look`): work that pictures and descriptions submit to show the contents of an array.
#pragma once

#include <utility>

namespace stridelab::hazards::look {

inline thread_local bool is_on = false;

/**
 * True while the calling thread inspects an array. Inspections have no observable effect: they do not count
 * as operations of their stream, appear in no trace and no wait log, and are ignored by hazard detection.
 * They are still ordered with other work.
 */
inline bool IsOn() { return is_on; }

/** Sets whether the calling thread inspects; returns the previous value. */
inline bool Set(bool on) { return std::exchange(is_on, on); }

class Scope {
 public:
  explicit Scope(bool on) : before_(Set(on)) {}
  ~Scope() { Set(before_); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  bool before_;
};

}  // namespace stridelab::hazards::look

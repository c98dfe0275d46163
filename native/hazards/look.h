// Looks: work that pictures and descriptions submit to show what an array holds.
#pragma once

#include <utility>

namespace stridelab::hazards::look {

namespace detail {

inline thread_local bool is_on = false;

}  // namespace detail

/**
 * True while the calling thread looks. Nothing may notice a look: it is no operation of its stream, no record
 * of a trace or of the wait log, and hazard detection learns nothing from it. Its order with other work is
 * kept all the same.
 */
inline bool IsOn() { return detail::is_on; }

/** Sets whether the calling thread looks; returns whether it did. */
inline bool Set(bool on) { return std::exchange(detail::is_on, on); }

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

// How memory that somebody else owns is given back: a function that runs once, where it may.
#pragma once

#include <functional>

namespace stridelab::core {

/** Where a release may run. */
enum class ReleasePlace {
  /** Anywhere, also inside the collector: it only notes something under a lock of its own. */
  kAnywhere,
  /** On any thread, but not inside a collection of JavaScript's garbage: it may run other people's code. */
  kOutsideCollector,
};

struct Release {
  std::function<void()> function;
  ReleasePlace place = ReleasePlace::kOutsideCollector;
};

/** Takes releases that must not run where the last reference went. */
class ReleaseSink {
 public:
  virtual void Defer(std::function<void()> release) noexcept = 0;

 protected:
  ~ReleaseSink() = default;
};

/** Marks that the calling thread is inside a collector; releases go to `sink` meanwhile. */
class CollectorScope {
 public:
  explicit CollectorScope(ReleaseSink& sink);
  ~CollectorScope();
  CollectorScope(const CollectorScope&) = delete;
  CollectorScope& operator=(const CollectorScope&) = delete;

 private:
  ReleaseSink* outer_;
};

/** Runs the release, or hands it to the sink of the collector that the thread is in. What it throws ends
 * here. */
void RunRelease(Release release) noexcept;

}  // namespace stridelab::core

// The release of adopted memory: a function of its owner that runs once, where the owner allows.
#pragma once

#include <functional>

namespace stridelab::core {

/** Where a release may run. */
enum class ReleasePlace {
  /** Anywhere, even inside the garbage collector: it only updates state under its own lock. */
  kAnywhere,
  /** On any thread, but not inside a garbage collection: it may run external code. */
  kOutsideCollector,
};

struct Release {
  std::function<void()> function;
  ReleasePlace place = ReleasePlace::kOutsideCollector;
};

/** Takes over releases that must not run inside the garbage collector. */
class ReleaseSink {
 public:
  virtual void Defer(std::function<void()> release) noexcept = 0;

 protected:
  ~ReleaseSink() = default;
};

/** Marks the calling thread as inside the garbage collector: until the scope ends, releases go to `sink`. */
class CollectorScope {
 public:
  explicit CollectorScope(ReleaseSink& sink);
  ~CollectorScope();
  CollectorScope(const CollectorScope&) = delete;
  CollectorScope& operator=(const CollectorScope&) = delete;

 private:
  ReleaseSink* outer_;
};

/** Runs the release, or defers it to the sink if the thread is inside the collector. Swallows exceptions. */
void RunRelease(Release release) noexcept;

}  // namespace stridelab::core

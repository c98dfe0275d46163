// State of the process that several threads use.
#pragma once

#include <mutex>

namespace stridelab::driver {

/** Holds the lock of the process's only `State`, which is never destroyed: threads may outlive statics. */
template <typename State>
class Locked {
 public:
  State* operator->() const { return &shared_.state; }

 private:
  struct Shared {
    std::mutex mutex;
    State state;
  };

  static Shared& TheShared() {
    static Shared& shared = *new Shared;
    return shared;
  }

  Shared& shared_ = TheShared();
  std::lock_guard<std::mutex> lock_{shared_.mutex};
};

}  // namespace stridelab::driver

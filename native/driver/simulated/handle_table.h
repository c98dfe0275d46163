// Objects that a driver knows by handle, such as streams and graphs.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <utility>

namespace stridelab::driver::simulated {

template <typename Object>
class HandleTable {
 public:
  explicit HandleTable(std::uint64_t first) : next_(first) {}

  /** Keeps an object; returns its handle, which is never reused, so that a stale one is always detected. */
  std::uint64_t Add(Object object) {
    const std::uint64_t handle = next_;
    next_ += 0x10;
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  /** Returns the object, which stays where it is until it is erased; null for an unknown handle. */
  Object* Find(std::uint64_t handle) {
    const auto entry = objects_.find(handle);
    return entry == objects_.end() ? nullptr : &entry->second;
  }
  bool Contains(std::uint64_t handle) const { return objects_.contains(handle); }
  bool Erase(std::uint64_t handle) { return objects_.erase(handle) == 1; }

  /** Pairs of a handle and its object. */
  auto begin() { return objects_.begin(); }
  auto end() { return objects_.end(); }
  auto begin() const { return objects_.begin(); }
  auto end() const { return objects_.end(); }

 private:
  std::unordered_map<std::uint64_t, Object> objects_;
  std::uint64_t next_;
};

}  // namespace stridelab::driver::simulated

// One reference to a Python object.
#pragma once

#include <utility>

#include "python/api.h"

namespace stridelab::python {

/** Owns a reference. Made, copied and destroyed with the GIL. Null is allowed: a failed call returns it. */
class Owned {
 public:
  Owned() = default;
  /** Takes over a new reference. */
  explicit Owned(PyObject* object) : object_(object) {}
  static Owned Borrowed(PyObject* object) {
    if (object != nullptr) api.Py_IncRef(object);
    return Owned(object);
  }
  Owned(Owned&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (object_ != nullptr) api.Py_DecRef(object_);
  }

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  PyObject* Release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

/** Returns the class of an object. */
inline Owned TypeOf(PyObject* object) { return Owned(api.PyObject_Type(object)); }

/** True if an object is an instance of a built-in class, or of one that derives from it. */
inline bool IsA(PyObject* object, PyObject* type) {
  return api.PyType_IsSubtype(TypeOf(object).get(), type) != 0;
}

}  // namespace stridelab::python

// Conversion of C++ exceptions to Python's, in functions that Python calls.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/error.h"
#include "python/gil.h"
#include "python/owned.h"

namespace stridelab::python {

/** Thrown while Python has an exception set. */
struct Raised {};

[[noreturn]] inline void Raise(PyObject* type, const std::string& message) {
  api.PyErr_SetString(type, message.c_str());
  throw Raised{};
}

/** Sets the current exception aside, for example around a deleter in Python. The destructor restores it. */
class ExceptionAside {
 public:
  ExceptionAside() { api.PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ExceptionAside() {
    if (!dropped_) api.PyErr_Restore(type_, value_, traceback_);
  }
  ExceptionAside(const ExceptionAside&) = delete;
  ExceptionAside& operator=(const ExceptionAside&) = delete;

  /** Returns the message, empty if it has none. */
  std::string Text() const {
    const Owned text(value_ == nullptr ? nullptr : api.PyObject_Str(value_));
    const char* utf8 = text ? api.PyUnicode_AsUTF8AndSize(text.get(), nullptr) : nullptr;
    if (utf8 == nullptr) api.PyErr_Clear();
    return utf8 == nullptr ? "" : utf8;
  }
  /** True if it was raised inside a Python function. */
  bool has_traceback() const { return traceback_ != nullptr; }
  /** Drops the exception, so that the destructor keeps the one that is current then. */
  void Drop() {
    dropped_ = true;
    const Owned parts[] = {Owned(type_), Owned(value_), Owned(traceback_)};
  }

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
  bool dropped_ = false;
};

/** Returns the object. Throws Raised if it is null. */
inline Owned Made(PyObject* object) {
  if (object == nullptr) throw Raised{};
  return Owned(object);
}
inline void Succeed(int status) {
  if (status < 0) throw Raised{};
}

/** Returns BufferError for memory that cannot be exchanged, ValueError for a wrong argument, a freed array or
 * an unknown stream, MemoryError if a device is full, otherwise RuntimeError. */
inline PyObject* ExceptionFor(const core::Error& error) {
  using core::ErrorKind;
  const ErrorKind kind = error.kind();
  const int status = kind == ErrorKind::kDriver && error.failure() ? error.failure()->status : 0;
  if (kind == ErrorKind::kBuffer) return api.PyExc_BufferError;
  if (status == driver::kOutOfMemory) return api.PyExc_MemoryError;
  const bool wrong = kind == ErrorKind::kArgument || kind == ErrorKind::kFreed;
  return wrong || status == driver::kInvalidHandle ? api.PyExc_ValueError : api.PyExc_RuntimeError;
}

/** Runs `body`, called by Python, with the GIL. If it throws, returns `failed` with an exception set. */
template <typename Result, typename Body>
Result CalledByPython(Result failed, Body body) noexcept {
  const GilGiven given;
  try {
    return body();
  } catch (const Raised&) {
    return failed;
  } catch (const core::Error& error) {
    api.PyErr_SetString(ExceptionFor(error), error.what());
  } catch (const std::bad_alloc&) {
    api.PyErr_SetString(api.PyExc_MemoryError, "out of memory");
  } catch (const std::exception& error) {
    api.PyErr_SetString(api.PyExc_RuntimeError, error.what());
  }
  return failed;
}
/** Runs a body that returns an Owned; returns null if it throws. */
template <typename Body>
PyObject* CalledByPython(Body body) noexcept {
  return CalledByPython<PyObject*>(nullptr, [&] { return body().Release(); });
}

}  // namespace stridelab::python

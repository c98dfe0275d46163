// From C++ exceptions to Python's, at the edge where Python calls.
#pragma once

#include <exception>
#include <new>
#include <string>

#include "core/error.h"
#include "python/gil.h"
#include "python/owned.h"

namespace stridelab::python {

/** Python has an exception set. */
struct Raised {};

[[noreturn]] inline void Raise(PyObject* type, const std::string& message) {
  api.PyErr_SetString(type, message.c_str());
  throw Raised{};
}

/** Around code that may run Python's while an exception is set, such as a deleter. */
class ExceptionAside {
 public:
  ExceptionAside() { api.PyErr_Fetch(&type_, &value_, &traceback_); }
  ~ExceptionAside() { api.PyErr_Restore(type_, value_, traceback_); }
  ExceptionAside(const ExceptionAside&) = delete;
  ExceptionAside& operator=(const ExceptionAside&) = delete;

 private:
  PyObject* type_ = nullptr;
  PyObject* value_ = nullptr;
  PyObject* traceback_ = nullptr;
};

/** The object itself, or Raised where a call gave none. */
inline Owned Made(PyObject* object) {
  if (object == nullptr) throw Raised{};
  return Owned(object);
}
inline void Succeed(int status) {
  if (status < 0) throw Raised{};
}

/** BufferError for memory that cannot be exchanged, ValueError for a wrong argument, a freed array and a
 * stream that is not there, MemoryError where a device is full, else RuntimeError. */
inline PyObject* ExceptionFor(const core::Error& error) {
  switch (error.kind()) {
    case core::ErrorKind::kBuffer:
      return api.PyExc_BufferError;
    case core::ErrorKind::kArgument:
    case core::ErrorKind::kFreed:
      return api.PyExc_ValueError;
    case core::ErrorKind::kDriver:
      if (const std::optional<core::DriverFailure>& failure = error.failure()) {
        if (failure->status == driver::kOutOfMemory) return api.PyExc_MemoryError;
        if (failure->status == driver::kInvalidHandle) return api.PyExc_ValueError;
      }
      return api.PyExc_RuntimeError;
    default:
      return api.PyExc_RuntimeError;
  }
}

/** Runs what Python called, with the GIL; `failed` is returned with an exception set where it throws. */
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

}  // namespace stridelab::python

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

/** Saves the current exception around code that may run Python code, such as a deleter. */
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

}  // namespace stridelab::python

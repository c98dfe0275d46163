// Positional arguments of a call into Python.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "binding/call.h"
#include "python/owned.h"

namespace stridelab::binding {

/** Argument values, on the stack if they are few. Needs the GIL. */
class PythonArguments {
 public:
  static constexpr std::size_t kFew = 6;

  void Add(python::Owned value);
  std::size_t count() const { return count_; }
  python::Owned& at(std::size_t index) { return index < kFew ? few_[index] : more_[index - kFew]; }

 private:
  std::array<python::Owned, kFew> few_;
  std::vector<python::Owned> more_;
  std::size_t count_ = 0;
};

/** Reads the arguments that remain after the preceding parameters, as Python values. */
PythonArguments Read(Call& call, As<PythonArguments>);
/** The items of an array, as Python values. */
struct Items : PythonArguments {};
Items Convert(const Argument& argument, As<Items>);

/** Moves the values into a new tuple. */
python::Owned TupleOf(PythonArguments& values);

/** Calls `callable` with the values. Throws PythonFailure. */
python::Owned CallWith(python::PyObject* callable, PythonArguments& values);

}  // namespace stridelab::binding

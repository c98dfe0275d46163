#include "binding/python_arguments.h"

#include <utility>

#include "binding/python_values.h"

namespace stridelab::binding {

using python::api;
using python::Owned;
using python::PyObject;

void PythonArguments::Add(Owned value) {
  if (count_ < kFew) {
    few_[count_] = std::move(value);
  } else {
    more_.push_back(std::move(value));
  }
  ++count_;
}

Owned TupleOf(PythonArguments& values) {
  Owned tuple = Checked(api.PyTuple_New(static_cast<python::Size>(values.count())));
  for (std::size_t index = 0; index < values.count(); ++index)
    api.PyTuple_SetItem(tuple.get(), static_cast<python::Size>(index), values.at(index).Release());
  return tuple;
}

Owned CallWith(PyObject* callable, PythonArguments& values) {
  if (api.PyObject_Vectorcall == nullptr || values.count() > PythonArguments::kFew) {
    const Owned tuple = TupleOf(values);
    return Checked(api.PyObject_Call(callable, tuple.get(), nullptr));
  }
  std::array<PyObject*, PythonArguments::kFew> pointers{};
  for (std::size_t index = 0; index < values.count(); ++index) pointers[index] = values.at(index).get();
  return Checked(api.PyObject_Vectorcall(callable, pointers.data(), values.count(), nullptr));
}

}  // namespace stridelab::binding

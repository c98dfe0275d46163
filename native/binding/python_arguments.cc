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

PythonArguments Read(Call& call, As<PythonArguments>) {
  PythonArguments values;
  const Rest rest = Read(call, As<Rest>{});
  for (std::size_t index = 0; index < rest.size(); ++index) values.Add(ToPython(call.env(), rest[index]));
  return values;
}

Items Convert(const Argument& argument, As<Items>) {
  Items values;
  const Napi::Array list = Convert(argument, As<Napi::Array>{});
  for (std::uint32_t index = 0; index < list.Length(); ++index)
    values.Add(ToPython(list.Env(), list.Get(index)));
  return values;
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
  // PY_VECTORCALL_ARGUMENTS_OFFSET: the slot before the first argument is for a method's `self`.
  constexpr std::size_t kRoomBefore = std::size_t{1} << 63;
  std::array<PyObject*, PythonArguments::kFew + 1> pointers;
  for (std::size_t index = 0; index < values.count(); ++index) pointers[index + 1] = values.at(index).get();
  return Checked(
      api.PyObject_Vectorcall(callable, pointers.data() + 1, values.count() | kRoomBefore, nullptr));
}

}  // namespace stridelab::binding

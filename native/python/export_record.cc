#include "python/array_members.h"
#include "python/raise.h"

namespace stridelab::python {
namespace {

/** Returns a description such as `float32 (3, 4)`. */
std::string NameOf(const ExportedArray& array) {
  const dlpack::ArrayView& view = *array.view;
  std::string text = array.element->name + " (";
  for (std::int32_t axis = 0; axis < view.ndim(); ++axis)
    text += (axis == 0 ? "" : ", ") + std::to_string(view.shape()[axis]);
  return text + (view.ndim() == 1 ? ",)" : ")");
}

std::shared_ptr<dlpack::ExportRecord> NewRecord(dlpack::Way way, const ExportedArray& array) {
  auto record =
      std::make_shared<dlpack::ExportRecord>(way, array.view->description().device, RunningModule());
  record->array = NameOf(array);
  return record;
}

}  // namespace

std::string RunningModule() {
  PyObject* globals = api.PyEval_GetGlobals();
  if (globals == nullptr) return {};
  PyObject* name = api.PyDict_GetItemString(globals, "__name__");
  const bool is_text = name != nullptr && IsA(name, api.PyUnicode_Type);
  const char* utf8 = is_text ? api.PyUnicode_AsUTF8AndSize(name, nullptr) : nullptr;
  if (utf8 != nullptr) return utf8;
  api.PyErr_Clear();
  return {};
}

std::shared_ptr<dlpack::ExportRecord> RecordOfQuestion(dlpack::Way way, const ExportedArray& array,
                                                       const dlpack::Request& request) {
  if (!dlpack::ExportLog::IsOn()) return nullptr;
  auto record = NewRecord(way, array);
  record->request = request;
  record->versioned = way != dlpack::Way::kPython;
  return record;
}

std::shared_ptr<dlpack::ExportRecord> RecordOfRead(dlpack::Way way, const ExportedArray& array) {
  return dlpack::ExportLog::IsReadOn() ? NewRecord(way, array) : nullptr;
}

std::string RefusalByPython() {
  try {
    throw;
  } catch (const Raised&) {
    return ExceptionAside().Text();
  } catch (...) {
    return dlpack::RefusalOfError();
  }
}

}  // namespace stridelab::python

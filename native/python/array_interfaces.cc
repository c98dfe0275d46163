// The array interfaces of Python as dictionaries: NumPy's and CUDA's, version 3.
#include "core/device.h"
#include "core/stream.h"
#include "dlpack/order.h"
#include "python/array_members.h"
#include "python/objects.h"

namespace stridelab::python {
namespace {

/** The newest version of both interfaces, NumPy's and CUDA's. */
constexpr int kNewestVersion = 3;

void Put(const Owned& dictionary, const char* key, const Owned& value) {
  Succeed(api.PyDict_SetItemString(dictionary.get(), key, value.get()));
}

/** Makes a dictionary of the entries that both interfaces have. */
Owned Describe(const ExportedArray& array, int version, const char* interface) {
  const dlpack::ArrayView& view = *array.view;
  const ElementType& element = *array.element;
  if (element.typestr.empty()) {
    Raise(api.PyExc_AttributeError,
          element.name + ": " + interface + " has no typestr for it, use DLPack (rule 44)");
  }
  Owned dictionary = Made(api.PyDict_New());
  Put(dictionary, "shape", TupleOf(view.shape(), view.ndim()));
  Put(dictionary, "typestr", Text(element.typestr));
  Owned address = Made(api.PyLong_FromUnsignedLongLong(view.address(*array.storage)));
  Put(dictionary, "data", Tuple(std::move(address), Boolean(view.read_only())));
  Put(dictionary, "version", Whole(version));
  Put(dictionary, "strides", view.row_major() ? None() : TupleOf(view.byte_strides(), view.ndim()));
  if (element.descr != nullptr) Put(dictionary, "descr", Owned::Borrowed(element.descr));
  return dictionary;
}

Owned DescribeForNumPy(const ExportedArray& array, dlpack::ExportRecord* record) {
  Owned dictionary = Describe(array, kNewestVersion, "__array_interface__");
  WaitForHost(array);
  if (record != nullptr) record->version = kNewestVersion;
  return dictionary;
}

Owned DescribeForCuda(const ExportedArray& array, dlpack::ExportRecord* record) {
  const int version = array.home == nullptr ? kNewestVersion : array.home->version;
  const bool named = array.home == nullptr || array.home->names_stream;
  if (array.mask && version < 1) {
    Raise(api.PyExc_BufferError,
          "version 0 of the interface has no mask: export version 1 or newer (rule 12)");
  }
  Owned dictionary = Describe(array, version, "the CUDA Array Interface");
  if (version == kNewestVersion) {
    // 0 if no work was submitted, or if it is complete and its stream destroyed.
    const std::uint64_t handle = named ? dlpack::JoinForExport(*array.view, *array.storage) : 0;
    Put(dictionary, "stream", handle == 0 ? None() : Made(api.PyLong_FromUnsignedLongLong(handle)));
    if (record != nullptr) record->stream = handle;
  }
  // PyTorch, Warp and consumers of old versions ignore the stream, so their default stream waits in any case.
  if (named) dlpack::JoinLegacy(*array.view, *array.storage);
  if (array.mask) Put(dictionary, "mask", Owned::Borrowed(array.mask.get()));
  if (record != nullptr) record->version = version;
  return dictionary;
}

template <dlpack::Way kWay, Owned (*Make)(const ExportedArray&, dlpack::ExportRecord*)>
Owned Read(const ExportedArray& array) {
  const auto record = RecordOfRead(kWay, array);
  return dlpack::Recorded(array.storage, record, [&] { return Make(array, record.get()); }, RefusalByPython);
}

}  // namespace

Owned ArrayInterface(const ExportedArray& array) {
  return Read<dlpack::Way::kPythonArrayInterface, DescribeForNumPy>(array);
}

Owned CudaArrayInterface(const ExportedArray& array) {
  return Read<dlpack::Way::kPythonCudaInterface, DescribeForCuda>(array);
}

}  // namespace stridelab::python

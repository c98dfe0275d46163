// What Python is told of a dtype; made once for each and kept by the arrays of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "include/stridelab.h"
#include "python/api.h"

namespace stridelab::python {

struct ElementType {
  /** `float32`. */
  std::string name;
  /** Text from which JavaScript finds the dtype again. */
  std::string key;
  /** Format of the buffer protocol (PEP 3118); empty where it has none. */
  std::string format;
  /** Empty where the array interfaces have none (rule 44). */
  std::string typestr;
  /** A list of tuples for a record, null for other types. */
  PyObject* descr = nullptr;
  /** Why DLPack has no form for it; empty where it has. */
  std::string dlpack_refusal;
  std::int64_t itemsize = 1;
  /** Bits 0 where DLPack has no code. */
  DLDataType dlpack{};
  /** Elements take whole bytes of which they fill a part (rule 128). */
  bool padded = false;

  ElementType() = default;
  ~ElementType();
  ElementType(const ElementType&) = delete;
  ElementType& operator=(const ElementType&) = delete;
};

/** Remembers the type that a tensor with its DLPack triple is made of. */
void RememberElementType(const std::shared_ptr<const ElementType>& element);
/** Null for a triple that nobody remembered. */
std::shared_ptr<const ElementType> ElementTypeOf(DLDataType dtype);

}  // namespace stridelab::python

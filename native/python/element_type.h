// A dtype as exposed to Python; one object for each, shared by its arrays.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "include/stridelab.h"
#include "python/api.h"

namespace stridelab::python {

struct ElementType {
  std::string name;
  /** The text from which JavaScript finds the dtype again. */
  std::string key;
  /** The format of the buffer protocol (PEP 3118); empty if it has none. */
  std::string format;
  /** The typestr; empty if the array interfaces have none (rule 44). */
  std::string typestr;
  /** A list of tuples for a structured dtype, null for other types. */
  PyObject* descr = nullptr;
  /** Why DLPack cannot represent it; empty if it can. */
  std::string dlpack_refusal;
  std::int64_t itemsize = 1;
  /** The DLPack triple; bits are 0 if DLPack has no code. */
  DLDataType dlpack{};
  /** True if an element occupies whole bytes but uses only part of their bits (rule 128). */
  bool padded = false;

  ElementType() = default;
  ~ElementType();
  ElementType(const ElementType&) = delete;
  ElementType& operator=(const ElementType&) = delete;
};

/** Registers the element type for tensors with its DLPack triple. */
void RememberElementType(const std::shared_ptr<const ElementType>& element);
/** Returns the element type of a triple; null if none was registered. */
std::shared_ptr<const ElementType> ElementTypeOf(DLDataType dtype);

}  // namespace stridelab::python

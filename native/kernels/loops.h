// The loops that instructions run over the lanes of a batch. All throw std::invalid_argument if there is none.
#pragma once

#include "kernels/program.h"

namespace stridelab::kernels {

compute::Kernel FindUnary(UnaryOperation operation, ValueType type);
compute::Kernel FindBinary(BinaryOperation operation, ValueType type);
compute::Kernel FindFma(ValueType type);
compute::Kernel FindConvert(ValueType from, ValueType to);
compute::Kernel FindNarrow(Element element);
compute::Kernel FindSelect(ValueType type);
Transfer FindLoad(Element element);
Transfer FindStore(Element element);
DenseTransfer FindDenseLoad(Element element);
DenseTransfer FindDenseStore(Element element);
AtomicLoop FindAtomic(AtomicOperation operation, Element element);

/** The type of a unary operation's result. */
ValueType ResultOf(UnaryOperation operation, ValueType type);
ValueType ResultOf(BinaryOperation operation, ValueType type);

}  // namespace stridelab::kernels

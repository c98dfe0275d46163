/** Requirements on arrays in collective operations. */

import { NDArray } from '../array/array.ts';
import type { Device } from '../core/device.ts';
import type { DType } from '../dtype/dtype.ts';
import { sameDType } from '../dtype/parametric.ts';
import { ArgumentError, DeviceError, ReadOnlyError, ShapeError, ValueError } from '../base/errors.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import { textOf } from '../base/value-text.ts';
import type { Operation } from './clique.ts';
import type { Part } from './group.ts';

/** Returns the elements as NCCL needs them: contiguous, without repeats. @throws ShapeError, ValueError, FreedError */
export function partOf(operation: Operation, array: NDArray): Part {
  const { storage } = array; // throws for a freed array
  if (array.mask !== null)
    throw new ValueError(
      `${operation}: the array has a mask, which NCCL does not support: pass array.withMask(null)`
    );
  if (!array.isRowMajor)
    throw new ShapeError(
      `${operation}: the array of shape ${formatShape(array.shape)} is not contiguous: pass its copy()`
    );
  return { storage, offset: array.offset };
}

/** Checks an array that receives a result. @throws ArgumentError, DeviceError, ShapeError, ReadOnlyError if it is unsuitable */
export function requireTarget(out: NDArray, dtype: DType, shape: Shape, device: Device): void {
  if (!(out instanceof NDArray)) throw new ArgumentError(`out: ${textOf(out)} is not an array`);
  if (out.device !== device)
    throw new DeviceError(`out is on ${out.device.toString()}, but the communicator on ${device.toString()}`);
  if (!sameDType(out.dtype, dtype) || formatShape(out.shape) !== formatShape(shape))
    throw new ShapeError(
      `out is ${out.dtype.name} ${formatShape(out.shape)}, expected ${dtype.name} ${formatShape(shape)}`
    );
  if (out.readOnly) throw new ReadOnlyError('out is read-only (rule 59)');
}

/** Adds the property of the CUDA Array Interface to arrays. Imported for its effect. */

import { NDArray } from '../../array/array.ts';
import { CAI, CAI_SYMBOL, type CudaArrayInterface } from '../../protocols/cai.ts';
import { describeForExport } from './export.ts';

function descriptor(this: NDArray): CudaArrayInterface | undefined {
  return describeForExport(this);
}

// Not enumerable: printing or comparing arrays must not record events (rule 13).
for (const name of [CAI, CAI_SYMBOL])
  Object.defineProperty(NDArray.prototype, name, { get: descriptor, configurable: true });

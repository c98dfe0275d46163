/** Launches matrix products on a GPU: cuBLASLt where it is there and knows the case, else our own kernel. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import type { MatmulRun } from '../program/runs.ts';
import { requireAligned } from './alignment.ts';
import { multiplyByCublas } from './cublas.ts';
import { generatedKernel } from './generated-kernel.ts';
import { emitMatmul, THREADS, TILE } from './matmul.ts';

export function matmulOnGpu(run: MatmulRun): void {
  for (const operand of [run.a, run.b, run.output]) requireAligned(operand, run.type);
  if (!multiplyByCublas(run)) multiplyByOwnKernel(run);
}

function multiplyByOwnKernel({ type, batch, m, n, k, output, a, b, strides, stream }: MatmulRun): void {
  const rank = Math.max(batch.length, 1);
  const kernel = generatedKernel(stream.device, `matmul/${type}/${batch.length}`, () => ({
    source: emitMatmul(type, batch.length),
    name: 'matmul',
    sizes: [8, 8, 8, 8, 8, 8, 8 * (4 * rank + 6)]
  }));
  const { itemsize } = dtypes[type];
  for (const [parameter, array] of [a, b, output].entries()) kernel.setPointer(parameter, array.pointer);
  for (const [index, length] of [m, n, k].entries()) kernel.setInt64(3 + index, length);
  const lists = [batch, strides.a, strides.b, strides.output];
  for (const [list, values] of lists.entries()) {
    for (let axis = 0; axis < batch.length; axis++) {
      kernel.setInt64(6, (values[axis] as number) / (list === 0 ? 1 : itemsize), 8 * (list * rank + axis));
    }
  }
  const last = [strides.a, strides.b, strides.output].flatMap(list => list.slice(-2));
  for (const [index, stride] of last.entries()) kernel.setInt64(6, stride / itemsize, 8 * (4 * rank + index));
  const grid = [Math.ceil(n / TILE), Math.ceil(m / TILE), sizeOf(batch)] as const;
  kernel.launch(stream, { grid, block: THREADS }, [output], [a, b]);
}

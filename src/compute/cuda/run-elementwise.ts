/** Launches elementwise programs on a GPU. */

import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf } from '../../layout/shape.ts';
import { registerType, valueBytes } from '../program/program.ts';
import type { ElementwiseRun } from '../program/runs.ts';
import { simplify } from '../program/space.ts';
import { requireAligned } from './alignment.ts';
import {
  BLOCK,
  elementsPerBlock,
  emitElementwise,
  isStrided,
  valueSizes,
  variantFor,
  variantKey
} from './elementwise.ts';
import { launchGenerated } from './generated-kernel.ts';

export function elementwise({ built, space: full, outputs, inputs, stream }: ElementwiseRun): void {
  const { program, values } = built;
  const space = simplify(full);
  const operands = [...outputs, ...inputs];
  const types = [...program.outputs.map(register => registerType(program, register)), ...program.inputs];
  for (const [which, operand] of operands.entries()) requireAligned(operand, types[which]!);
  const addresses = operands.map(
    ({ storage }, which) => storage.pointer + BigInt(space.places[which]!.offset)
  );
  const variant = variantFor(
    space,
    types.map(type => dtypes[type].itemsize),
    addresses
  );
  const bytes = valueBytes(program.values, values);
  const count = sizeOf(space.shape);
  const indices = (list: readonly number[]): readonly number[] | Int32Array =>
    variant.wide ? list : Int32Array.from(list);
  const dims = [...space.shape, ...space.places.flatMap(({ strides }) => strides)];
  const launch = {
    key: `elementwise/${variantKey(variant)}/${program.key}`,
    name: 'elementwise',
    emit: () => emitElementwise(program, variant),
    arguments: [
      ...addresses,
      ...valueSizes(program).map((size, index) => bytes.subarray(16 * index, 16 * index + size)),
      indices([count]),
      ...(isStrided(variant) ? [indices(dims)] : [])
    ],
    grid: [Math.ceil(count / elementsPerBlock(variant)), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, outputs, inputs);
}

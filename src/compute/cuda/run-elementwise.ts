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
  const addresses: bigint[] = [];
  const itemsizes: number[] = [];
  for (let which = 0; which < operands.length; which++) {
    const operand = operands[which]!;
    requireAligned(operand, types[which]!);
    addresses.push(operand.storage.pointer + BigInt(space.places[which]!.offset));
    itemsizes.push(dtypes[types[which]!].itemsize);
  }
  const variant = variantFor(space, itemsizes, addresses);
  const bytes = valueBytes(program.values, values);
  const count = sizeOf(space.shape);
  const indices = (list: readonly number[]) => (variant.wide ? list : { int32: list });
  const launch = {
    key: `elementwise/${variantKey(variant)}/${program.key}`,
    name: 'elementwise',
    emit: () => emitElementwise(program, variant),
    arguments: [
      ...addresses,
      ...valueSizes(program).map((size, index) => bytes.subarray(16 * index, 16 * index + size)),
      indices([count]),
      ...(isStrided(variant)
        ? [indices([...space.shape, ...space.places.flatMap(({ strides }) => strides)])]
        : [])
    ],
    grid: [Math.ceil(count / elementsPerBlock(variant)), 1, 1],
    block: BLOCK
  } as const;
  launchGenerated(stream, launch, outputs, inputs);
}

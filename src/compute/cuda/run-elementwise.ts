/** Launches elementwise programs on a GPU. */

import type { Device } from '../../core/device.ts';
import { dtypes } from '../../dtype/dtype.ts';
import { sizeOf, type Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import type { BuiltProgram } from '../program/expression.ts';
import { registerType, valueBytes } from '../program/program.ts';
import type { Elements, ElementwiseRun } from '../program/runs.ts';
import { equalShapes, simplify, spaceOf } from '../program/space.ts';
import { requireAligned } from './alignment.ts';
import { emitElementwise, valueSizes } from './elementwise.ts';
import { BLOCK, blocksFor, traversalOf, variantFor, variantKey } from './elementwise-variant.ts';
import { kernelWith, type GeneratedKernel, type Launch } from './generated-kernel.ts';

/** The layout of an operand, as far as a kernel and its arguments depend on it. */
interface Layout {
  readonly shape: Shape;
  readonly strides: Strides;
  /** The address of the element at the operand's offset, modulo the widest load. */
  readonly alignment: number;
  /** Bytes from there to the element where the kernel begins, which is another one for negative strides. */
  readonly shift: number;
}

/** Everything about a launch but the addresses. */
interface Plan {
  readonly device: Device;
  readonly shape: Shape;
  readonly layouts: readonly Layout[];
  readonly kernel: GeneratedKernel;
  /** The parameters of the kernel; those of the addresses are of the first launch. */
  readonly words: Uint32Array;
  readonly grid: Launch['grid'];
}

/** The latest plans of a program, the last used first: most programs run on few layouts. */
const plans = new WeakMap<BuiltProgram, Plan[]>();
const MOST_PLANS = 8;

export function elementwise(run: ElementwiseRun): void {
  const { built, outputs, inputs, stream } = run;
  let known = plans.get(built);
  if (known === undefined) plans.set(built, (known = []));
  let at = 0;
  while (at < known.length && !fits(known[at]!, run)) at++;
  const plan = known[at] ?? planOf(run);
  if (at > 0 || known.length === 0) {
    if (at === MOST_PLANS) at--;
    for (; at > 0; at--) known[at] = known[at - 1]!;
    known[0] = plan;
  }
  const { kernel, words, layouts } = plan;
  for (let word = 2 * layouts.length; word < words.length; word++) kernel.words[word] = words[word]!;
  for (let which = 0; which < layouts.length; which++) {
    const { storage, offset } = operandOf(run, which);
    kernel.setAddress(which, storage.pointer, offset + layouts[which]!.shift);
  }
  kernel.launch(stream, plan.grid, BLOCK, outputs, inputs);
}

/** Returns an operand of a run, outputs first. */
function operandOf({ outputs, inputs }: ElementwiseRun, which: number): Elements {
  return (which < outputs.length ? outputs[which] : inputs[which - outputs.length])!;
}

/** Bytes of the widest load of a generated kernel. */
const WIDEST = 16;
const address = new BigUint64Array(1);
const halves = new Uint32Array(address.buffer);

/** Returns the address of the element at the operand's offset, modulo the bytes of the widest load. */
function alignmentOf({ storage, offset }: Elements): number {
  address[0] = storage.pointer;
  return (halves[0]! + offset) & (WIDEST - 1);
}

function fits({ device, shape, layouts }: Plan, run: ElementwiseRun): boolean {
  if (device !== run.stream.device || !equalShapes(shape, run.shape)) return false;
  for (let which = 0; which < layouts.length; which++) {
    const layout = layouts[which]!;
    const operand = operandOf(run, which);
    if (!equalShapes(layout.shape, operand.shape) || !equalShapes(layout.strides, operand.strides))
      return false;
    if (layout.alignment !== alignmentOf(operand)) return false;
  }
  return true;
}

function planOf({ built, shape, outputs, inputs, stream }: ElementwiseRun): Plan {
  const { program, values } = built;
  const simplified = simplify(spaceOf(shape, outputs, inputs));
  const operands = [...outputs, ...inputs];
  const types = [...program.outputs.map(register => registerType(program, register)), ...program.inputs];
  for (const [which, operand] of operands.entries()) requireAligned(operand, types[which]!);
  const addresses = operands.map(
    ({ storage }, which) => storage.pointer + BigInt(simplified.places[which]!.offset)
  );
  const choice = variantFor(
    program,
    simplified,
    types.map(type => dtypes[type].itemsize),
    addresses
  );
  const { variant, space } = choice;
  const bytes = valueBytes(program.values, values);
  const traversal = traversalOf(variant);
  const indices = (list: readonly number[]) => (variant.wide ? list : { int32: list });
  const kernel = kernelWith(stream.device, {
    key: `elementwise/${variantKey(variant)}/${program.key}`,
    name: 'elementwise',
    emit: () => emitElementwise(program, variant),
    arguments: [
      ...addresses,
      ...valueSizes(program).map((size, index) => bytes.subarray(16 * index, 16 * index + size)),
      ...(traversal === 'tiled' ? [] : [indices([sizeOf(space.shape)])]),
      ...(traversal === 'flat'
        ? []
        : [indices([...space.shape, ...space.places.flatMap(({ strides }) => strides)])])
    ]
  });
  return {
    device: stream.device,
    shape,
    layouts: operands.map((operand, which) => ({
      shape: operand.shape,
      strides: operand.strides,
      alignment: alignmentOf(operand),
      shift: space.places[which]!.offset - operand.offset
    })),
    kernel,
    words: kernel.words.slice(),
    grid: [blocksFor(program, choice), 1, 1]
  };
}

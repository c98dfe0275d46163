/** The kernel arguments of a program's parameters, in order: the same for CUDA C++ and for the simulated machine. Pure. */

import type { Parameter } from './program.ts';
import { deviceTable, type ValueType } from './types.ts';

/** One argument of the launch. */
export interface ArgumentSlot {
  /** The parameter that it belongs to. */
  readonly parameter: number;
  readonly role: 'pointer' | 'extent' | 'stride' | 'scalar';
  /** The axis of an extent or stride; else 0. */
  readonly axis: number;
  /** The type of an extent, stride or scalar; null for a pointer. */
  readonly type: ValueType | null;
  readonly bytes: number;
}

const BYTES = deviceTable<ValueType, number>({
  bool: 1,
  i32: 4,
  u32: 4,
  f32: 4,
  i64: 8,
  u64: 8,
  f64: 8
});

/** Returns the arguments of a launch, without their offsets: each is aligned to its own size. */
export function argumentSlots(parameters: readonly Parameter[]): ArgumentSlot[] {
  return parameters.flatMap((parameter, index): ArgumentSlot[] => {
    if (parameter.kind === 'scalar') {
      const { type } = parameter;
      return [{ parameter: index, role: 'scalar', axis: 0, type, bytes: BYTES[type] }];
    }
    const type = parameter.wide ? 'i64' : 'i32';
    const lengths = (role: 'extent' | 'stride'): ArgumentSlot[] =>
      Array.from({ length: parameter.rank }, (_, axis) => ({
        parameter: index,
        role,
        axis,
        type,
        bytes: BYTES[type]
      }));
    return [
      { parameter: index, role: 'pointer', axis: 0, type: null, bytes: 8 },
      ...lengths('extent'),
      ...(parameter.contiguous ? [] : lengths('stride'))
    ];
  });
}

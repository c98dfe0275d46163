/** Atomics, operations of a warp, and barriers as CUDA C++. Pure. */

import type {
  ArrayReference,
  AtomicName,
  BarrierName,
  Expression,
  FenceName,
  WarpName
} from '../program/program.ts';
import { isFloat, type ElementType, type ValueType } from '../program/types.ts';
import { elementOf, elementText } from './arrays.ts';
import { callPiece, typed, type Emission } from './emission.ts';
import { call, cast, infix, LEVEL, prefix, primary, type Text } from './text.ts';
import { constant, TYPES } from './types.ts';

interface Atomic {
  readonly name: AtomicName;
  readonly array: ArrayReference;
  readonly index: readonly Expression[];
  readonly arguments: readonly Expression[];
}

/** Writes an atomic, whose value is the old one. */
export function atomic(emission: Emission, { name, array, index, arguments: given }: Atomic): Text {
  const element = elementOf(emission.program, array);
  const at = prefix('&', elementText(emission, array, index));
  const values = given.map(each => typed(emission, each));
  return isFloat(element as ValueType)
    ? ofFloat(emission, name, element, at, values)
    : ofInteger(name, element, at, values);
}

function ofFloat(
  emission: Emission,
  name: AtomicName,
  element: ElementType,
  at: Text,
  values: readonly Text[]
): Text {
  switch (name) {
    case 'atomicMin':
      return callPiece(emission, 'atomicLeast', at, ...values);
    case 'atomicMax':
      return callPiece(emission, 'atomicGreatest', at, ...values);
    case 'atomicCas':
      return callPiece(emission, 'atomicReplace', at, ...values);
    case 'atomicExch':
      return element === 'f64'
        ? callPiece(emission, 'atomicExchange', at, ...values)
        : call('atomicExch', at, ...values);
    case 'atomicSub':
      return call('atomicAdd', at, prefix('-', values[0]!));
    default:
      return call(name, at, ...values);
  }
}

function ofInteger(name: AtomicName, element: ElementType, at: Text, values: readonly Text[]): Text {
  const cuda = name === 'atomicCas' ? 'atomicCAS' : name;
  const long = element === 'i64' || element === 'u64';
  // Only the order of numbers depends on their sign; else CUDA has atomics of 64 bits for unsigned ones.
  if (!long || name === 'atomicMin' || name === 'atomicMax') return call(cuda, at, ...values);
  const words = element === 'u64' ? values : values.map(each => cast(TYPES.u64, each));
  const place = element === 'u64' ? at : cast(`${TYPES.u64}*`, at);
  const made =
    name === 'atomicSub'
      ? call('atomicAdd', place, infix(constant('u64', 0n), '-', words[0]!, LEVEL.sum))
      : call(cuda, place, ...words);
  return { ...made, unsigned: element === 'i64' };
}

const WARP: Readonly<Record<WarpName, string>> = {
  shfl: '__shfl_sync',
  shflUp: '__shfl_up_sync',
  shflDown: '__shfl_down_sync',
  shflXor: '__shfl_xor_sync',
  ballot: '__ballot_sync',
  any: '__any_sync',
  all: '__all_sync',
  matchAny: '__match_any_sync',
  matchAll: 'allEqual',
  activeMask: '__activemask',
  syncWarp: '__syncwarp'
};

export function warp(emission: Emission, name: WarpName, given: readonly Expression[]): Text {
  if (name === 'matchAll') emission.use('allEqual');
  return call(
    WARP[name],
    ...given.map((each, index) => (index === 0 ? mask(emission, each) : typed(emission, each)))
  );
}

/** Writes a mask of lanes, whose bits hexadecimal digits show. */
function mask(emission: Emission, lanes: Expression): Text {
  return lanes.kind === 'constant'
    ? primary(`0x${Number(lanes.value).toString(16)}u`)
    : typed(emission, lanes);
}

const BARRIERS: Readonly<Record<BarrierName, string>> = {
  syncThreads: '__syncthreads',
  syncThreadsCount: '__syncthreads_count',
  syncThreadsAnd: '__syncthreads_and',
  syncThreadsOr: '__syncthreads_or',
  gridSync: 'gridSync'
};

export function barrier(emission: Emission, name: BarrierName, given: readonly Expression[]): Text {
  if (name === 'gridSync') emission.use('gridSync');
  return call(BARRIERS[name], ...given.map(each => emission.write(each)));
}

const FENCES: Readonly<Record<FenceName, string>> = {
  fenceBlock: '__threadfence_block',
  fenceDevice: '__threadfence',
  fenceSystem: '__threadfence_system'
};

export const fence = (name: FenceName): Text => call(FENCES[name]);

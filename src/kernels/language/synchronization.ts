/** The functions of `cuda` by which threads meet: barriers, fences, atomics, operations of a warp; and assertions and inline CUDA C++. */

import type { AtomicName, BarrierName, Expression, FenceName, WarpName } from '../program/program.ts';
import { formatCounted } from '../../base/count-text.ts';
import { ELEMENTS, type ElementType, type ValueType } from '../program/types.ts';
import { noteWrite } from './assignments.ts';
import { deviceFunction } from './device-functions.ts';
import type { DeviceArray } from './device-types.ts';
import { lowerCondition } from './expressions.ts';
import { argumentsOf, know, type Call, type Rule } from './known-functions.ts';
import { requireScalar, type Lowering } from './lowering.ts';
import { constant, constantOf, convert, scalar } from './numbers.ts';
import type { Cast } from './number-types.ts';
import { requireArrayValue, requireIndices, requireType, requireValue } from './requirements.ts';
import { VOID, type Node, type Value, type Weak } from './values.ts';

const ALL_LANES = 0xffff_ffff;

/** Makes the rule of a barrier; `result` is that of the forms which take a condition. */
function barrier(name: BarrierName, result: ValueType | null): Rule {
  return call => {
    const { lowering, node } = call;
    const values = argumentsOf(call, result === null ? 0 : 1);
    const place = lowering.place(node);
    if (name === 'gridSync') lowering.cooperative = true;
    const variable = result === null ? null : lowering.variable('', result);
    const given = values.map(value => requireValue(lowering, value, 'bool', node));
    lowering.emit({ kind: 'barrier', name, arguments: given, result: variable, place });
    return variable === null ? VOID : scalar({ kind: 'variable', variable, type: variable.type, place });
  };
}

function fence(name: FenceName): Rule {
  return call => {
    argumentsOf(call, 0);
    call.lowering.emit({ kind: 'fence', name, place: call.lowering.place(call.node) });
    return VOID;
  };
}

const INTEGERS: readonly ElementType[] = ['i32', 'u32', 'i64', 'u64'];
const NUMBERS: readonly ElementType[] = [...INTEGERS, 'f32', 'f64'];

/** Makes the rule of an atomic: the array, the index or a list of them, then the values. */
function atomic(name: AtomicName, elements: readonly ElementType[], values = 1): Rule {
  return call => {
    const { lowering, node, nodes } = call;
    const given = argumentsOf(call, 2 + values);
    const array = requireArrayValue(lowering, given[0]!, nodes[0]!);
    if (!elements.includes(array.element))
      return lowering.fail(
        `${call.name} works on ${elements.join(', ')}; ${array.name} has ${array.element}`,
        nodes[0]!
      );
    const index = requireIndices(lowering, array, given[1]!, nodes[1]!);
    const type = ELEMENTS[array.element].value;
    const operands = given.slice(2).map((value, at) => requireValue(lowering, value, type, nodes[2 + at]!));
    noteWrite(lowering, array, nodes[0]!);
    const result = lowering.variable('', type);
    const place = lowering.place(node);
    lowering.emit({
      kind: 'atomic',
      name,
      array: array.reference,
      index,
      arguments: operands,
      result,
      place
    });
    return scalar({ kind: 'variable', variable: result, type, place });
  };
}

function maskOf(lowering: Lowering, value: Value | undefined, node: Node): Expression {
  if (value === undefined) return constant('u32', ALL_LANES, lowering.place(node));
  return requireValue(lowering, value, 'u32', node);
}

/** Makes the rule of a shuffle: value, lane (or distance), width, mask. */
function shuffle(name: WarpName): Rule {
  return call => {
    const { lowering, node } = call;
    const [given, lane, width, mask] = argumentsOf(call, 2, 4) as [Value, Value, Value?, Value?];
    const number = requireScalar(lowering, given, node);
    const value = convert(number, number.expression.type);
    if (value.type === 'bool')
      return lowering.fail('a shuffle moves numbers', node, 'write (condition ? 1 : 0)');
    const place = lowering.place(node);
    const lanes =
      width === undefined ? constant('i32', 32, place) : requireValue(lowering, width, 'i32', node);
    const operands = [maskOf(lowering, mask, node), value, requireValue(lowering, lane, 'i32', node), lanes];
    return emitWarp(call, name, operands, value.type, number.weak);
  };
}

function emitWarp(
  { lowering, node }: Call,
  name: WarpName,
  operands: readonly Expression[],
  type: ValueType | null,
  weak: Weak = null
): Value {
  const place = lowering.place(node);
  const result = type === null ? null : lowering.variable('', type);
  lowering.emit({ kind: 'warp', name, arguments: operands, result, place });
  if (result === null) return VOID;
  return scalar({ kind: 'variable', variable: result, type: result.type, place }, weak);
}

/** Makes the rule of a vote: a condition, then a mask. */
function vote(name: WarpName, type: ValueType): Rule {
  return call => {
    const { lowering, node } = call;
    const [condition, mask] = argumentsOf(call, 1, 2) as [Value, Value?];
    return emitWarp(
      call,
      name,
      [maskOf(lowering, mask, node), requireValue(lowering, condition, 'bool', node)],
      type
    );
  };
}

/** Makes the rule of a comparison in a warp: a value, then a mask. */
function match(name: WarpName): Rule {
  return call => {
    const { lowering, node } = call;
    const [value, mask] = argumentsOf(call, 1, 2) as [Value, Value?];
    const number = requireScalar(lowering, value, node);
    return emitWarp(
      call,
      name,
      [maskOf(lowering, mask, node), convert(number, number.expression.type)],
      'u32'
    );
  };
}

/** Returns the text of a literal: a string, or a template without expressions. */
function textOf(lowering: Lowering, node: Node | undefined, call: Call): string {
  if (node?.type === 'Literal' && typeof node.value === 'string') return node.value;
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]!.value.cooked ?? '';
  return lowering.fail('expected a text here', node ?? call.node, "write it as 'text'");
}

function assertion(call: Call): Value {
  const { lowering, node, nodes } = call;
  if (nodes.length < 1 || nodes.length > 2)
    return lowering.fail('cuda.assert takes a condition and a text', node);
  const condition = lowerCondition(lowering, nodes[0]!);
  const message = nodes[1] === undefined ? '' : textOf(lowering, nodes[1], call);
  lowering.emit({ kind: 'assert', condition, message, place: lowering.place(node) });
  return VOID;
}

/** Lowers `cuda.native(type or null, text, [operands], host)`. */
function native(call: Call): Value {
  const { lowering, node, nodes } = call;
  const [type, text, list, host] = nodes;
  if (type === undefined || text === undefined || nodes.length > 4)
    return lowering.fail(
      'cuda.native takes a type or null, CUDA C++ as text, a list of operands, and what it computes on the simulated device',
      node
    );
  const none = type.type === 'Literal' && type.value === null;
  const element = none ? null : requireType(lowering, lowering.parts.expression(type), type);
  const operands = list === undefined ? [] : operandsOf(lowering, list);
  const written = textOf(lowering, text, call);
  for (const [operand, index] of written.matchAll(/\$(\d+)/g))
    if (Number(index) >= operands.length)
      lowering.fail(
        `the text has ${operand}, but ${formatCounted(operands.length, 'operand')}`,
        text,
        'the first one is $0'
      );
  const value = element === null ? null : ELEMENTS[element].value;
  const computed =
    host === undefined || value === null
      ? null
      : requireValue(lowering, lowering.parts.expression(host), value, host);
  const result = value === null ? null : lowering.variable('', value);
  const place = lowering.place(node);
  lowering.emit({
    kind: 'native',
    text: written,
    operands,
    result,
    host: computed,
    place
  });
  return result === null ? VOID : scalar({ kind: 'variable', variable: result, type: result.type, place });
}

function operandsOf(lowering: Lowering, node: Node): Expression[] {
  if (node.type !== 'ArrayExpression')
    return lowering.fail('expected a list of operands', node, 'write [a, b]');
  return lowering.inOrder(node.elements as Node[]).map((value, index) => {
    const number = requireScalar(lowering, value, node.elements[index] as Node);
    return convert(number, number.expression.type);
  });
}

/** Lowers `console.log`. */
function print({ lowering, node, nodes }: Call): Value {
  const parts: (string | Expression)[] = [];
  const [first] = nodes;
  if (first?.type === 'Literal' && nodes.length > 1 && /%[sdifjoOc]/.test(String(first.value)))
    lowering.fail('console.log in a kernel has no formats', first, 'write a template: `thread ${i}`');
  for (const [index, each] of nodes.entries()) {
    if (index > 0) parts.push(' ');
    if (each.type === 'TemplateLiteral') {
      for (const [at, { value }] of each.quasis.entries()) {
        parts.push(value.cooked ?? '');
        const inner = each.expressions[at];
        if (inner !== undefined) parts.push(printed(lowering, inner));
      }
    } else if (each.type === 'Literal' && typeof each.value === 'string') parts.push(each.value);
    else parts.push(printed(lowering, each));
  }
  lowering.emit({ kind: 'print', parts, place: lowering.place(node) });
  return VOID;
}

function printed(lowering: Lowering, node: Node): string | Expression {
  const given = lowering.parts.expression(node);
  if (given.kind === 'host' && typeof given.value === 'string') return given.value;
  const value = requireScalar(lowering, given, node, 'a number or a text');
  const known = constantOf(value);
  return known === undefined ? lowering.keepUnlessStable(value.expression) : String(known);
}

/** Lowers `cuda.nanosleep`: the simulated device has nothing to wait for. */
function nanosleep(call: Call): Value {
  const { lowering, node } = call;
  const time = requireValue(lowering, argumentsOf(call, 1)[0]!, 'u32', node);
  const place = lowering.place(node);
  const host = constant('bool', true, place);
  lowering.emit({ kind: 'native', text: '__nanosleep($0)', operands: [time], result: null, host, place });
  return VOID;
}

type Index = number | readonly number[];
type Ranked<T> = DeviceArray<T> | DeviceArray<T, 2> | DeviceArray<T, 3> | DeviceArray<T, 4>;
type Atomic = <T>(array: Ranked<T>, index: Index, value: T) => T;
type Shuffle = <T extends number | bigint>(value: T, lane: number, width?: number, mask?: number) => T;
type Vote<R> = (condition: boolean, mask?: number) => R;
type Match = (value: number | bigint, mask?: number) => number;

export const synchronization = {
  /** Waits until all threads of the block reach this call; what they wrote before is then visible to all of them. */
  syncThreads: deviceFunction<() => void>('syncThreads', barrier('syncThreads', null)),
  /** Waits until all threads of the block reach this call, and returns for how many of them the condition is true. */
  syncThreadsCount: deviceFunction<(condition: boolean) => number>(
    'syncThreadsCount',
    barrier('syncThreadsCount', 'i32')
  ),
  /** Waits until all threads of the block reach this call, and returns whether the condition is true for all of them. */
  syncThreadsAnd: deviceFunction<(condition: boolean) => boolean>(
    'syncThreadsAnd',
    barrier('syncThreadsAnd', 'bool')
  ),
  /** Waits until all threads of the block reach this call, and returns whether the condition is true for any of them. */
  syncThreadsOr: deviceFunction<(condition: boolean) => boolean>(
    'syncThreadsOr',
    barrier('syncThreadsOr', 'bool')
  ),
  /** Waits until all threads of the grid reach this call. All blocks must fit on the device at once, otherwise the launch is an error. */
  gridSync: deviceFunction<() => void>('gridSync', barrier('gridSync', null)),
  /** Waits until the lanes of the warp that the mask names, by a bit for each, reach this call; without a mask, all 32. */
  syncWarp: deviceFunction<(mask?: number) => void>('syncWarp', call =>
    emitWarp(call, 'syncWarp', [maskOf(call.lowering, argumentsOf(call, 0, 1)[0], call.node)], null)
  ),
  /** Makes the block see the thread's writes before this call before those after it. Waits for no other thread. */
  threadFenceBlock: deviceFunction<() => void>('threadFenceBlock', fence('fenceBlock')),
  /** Makes the device see the thread's writes before this call before those after it. Waits for no other thread. */
  threadFence: deviceFunction<() => void>('threadFence', fence('fenceDevice')),
  /** Makes all devices and the host see the thread's writes before this call before those after it. Waits for no other thread. */
  threadFenceSystem: deviceFunction<() => void>('threadFenceSystem', fence('fenceSystem')),
  /**
   * Adds a value to an element atomically, and returns what the element was. The index of an array with more axes is a list. Elements: i32,
   * u32, i64, u64, f32, f64.
   * @example cuda.atomicAdd(counts, i, 1);
   */
  atomicAdd: deviceFunction<Atomic>('atomicAdd', atomic('atomicAdd', NUMBERS)),
  /** Subtracts a value from an element atomically, and returns what the element was. Elements: i32, u32, i64, u64, f32, f64. */
  atomicSub: deviceFunction<Atomic>('atomicSub', atomic('atomicSub', NUMBERS)),
  /** Stores the lesser of an element and a value atomically, and returns what the element was. Elements: i32, u32, i64, u64, f32, f64. */
  atomicMin: deviceFunction<Atomic>('atomicMin', atomic('atomicMin', NUMBERS)),
  /** Stores the greater of an element and a value atomically, and returns what the element was. Elements: i32, u32, i64, u64, f32, f64. */
  atomicMax: deviceFunction<Atomic>('atomicMax', atomic('atomicMax', NUMBERS)),
  /** Stores a value atomically, and returns what the element was. Elements: i32, u32, i64, u64, f32, f64. */
  atomicExch: deviceFunction<Atomic>('atomicExch', atomic('atomicExch', NUMBERS)),
  /** Stores a value atomically if the element is `expected`, and returns what the element was. Elements: i32, u32, i64, u64, f32, f64. */
  atomicCas: deviceFunction<<T>(array: Ranked<T>, index: Index, expected: T, value: T) => T>(
    'atomicCas',
    atomic('atomicCas', NUMBERS, 2)
  ),
  /** Stores `element & value` atomically, and returns what the element was. Elements: i32, u32, i64, u64. */
  atomicAnd: deviceFunction<Atomic>('atomicAnd', atomic('atomicAnd', INTEGERS)),
  /** Stores `element | value` atomically, and returns what the element was. Elements: i32, u32, i64, u64. */
  atomicOr: deviceFunction<Atomic>('atomicOr', atomic('atomicOr', INTEGERS)),
  /** Stores `element ^ value` atomically, and returns what the element was. Elements: i32, u32, i64, u64. */
  atomicXor: deviceFunction<Atomic>('atomicXor', atomic('atomicXor', INTEGERS)),
  /** Atomically adds 1 to a u32 element, or stores 0 if it is the limit or more, and returns what the element was. The limit is the last argument. */
  atomicInc: deviceFunction<Atomic>('atomicInc', atomic('atomicInc', ['u32'])),
  /**
   * Atomically subtracts 1 from a u32 element, or stores the limit if it is 0 or more than the limit, and returns what the element was. The
   * limit is the last argument.
   */
  atomicDec: deviceFunction<Atomic>('atomicDec', atomic('atomicDec', ['u32'])),
  /**
   * Returns the value that a lane of the warp passes. `width` (32, 16, 8, 4, 2 or 1; default 32) splits the warp into parts of so many lanes,
   * in which lanes count from 0. The mask has a bit for each lane that takes part; default all 32.
   * @example const first = cuda.shfl(value, 0);
   */
  shfl: deviceFunction<Shuffle>('shfl', shuffle('shfl')),
  /** Returns the value that the lane `lane` places below this one passes; its own if there is none in its part of `width` lanes. */
  shflUp: deviceFunction<Shuffle>('shflUp', shuffle('shflUp')),
  /**
   * Returns the value that the lane `lane` places above this one passes; its own if there is none in its part of `width` lanes.
   * @example for (let n = 16; n > 0; n >>= 1) sum += cuda.shflDown(sum, n);
   */
  shflDown: deviceFunction<Shuffle>('shflDown', shuffle('shflDown')),
  /** Returns the value that the lane `cuda.laneId ^ lane` passes. */
  shflXor: deviceFunction<Shuffle>('shflXor', shuffle('shflXor')),
  /** Returns a u32 with a bit for each lane of the warp for which the condition is true. Without a mask, all 32 lanes take part. */
  ballot: deviceFunction<Vote<number>>('ballot', vote('ballot', 'u32')),
  /** Returns whether the condition is true for any lane of the warp. Without a mask, all 32 lanes take part. */
  any: deviceFunction<Vote<boolean>>('any', vote('any', 'bool')),
  /** Returns whether the condition is true for all lanes of the warp that take part; without a mask, all 32. */
  all: deviceFunction<Vote<boolean>>('all', vote('all', 'bool')),
  /** Returns a u32 with a bit for each lane of the warp that passes this lane's value. Without a mask, all 32 lanes take part. */
  matchAny: deviceFunction<Match>('matchAny', match('matchAny')),
  /** Returns the mask if all lanes of the warp that it names pass one value, otherwise 0. Without a mask, all 32 lanes take part. */
  matchAll: deviceFunction<Match>('matchAll', match('matchAll')),
  /** Returns a u32 with a bit for each lane of the warp that executes this call now. */
  activeMask: deviceFunction<() => number>('activeMask', call => {
    argumentsOf(call, 0);
    return emitWarp(call, 'activeMask', [], 'u32');
  }),
  /** Lets the thread sleep for about so many nanoseconds, at most a million. Does nothing on a simulated device. */
  nanosleep: deviceFunction<(nanoseconds: number) => void>('nanosleep', nanosleep),
  /**
   * Stops the kernel if the condition is false. On a simulated device the next wait throws a KernelFaultError with the text, which is a
   * literal; on a GPU it breaks the device's context.
   * @example cuda.assert(x[i] >= 0, 'a negative number has no root');
   */
  assert: deviceFunction<(condition: boolean, message?: string) => void>('assert', assertion),
  /**
   * Puts CUDA C++ into the kernel: `$0`, `$1`… stand for the operands. With a type it is an expression of that type, with null a
   * statement. `host` is what it computes on the simulated device; without it the kernel runs on GPUs only.
   * @example const r = cuda.native(f32, '__fdividef($0, $1)', [a, b], a / b);
   */
  native: deviceFunction<{
    <T extends number | bigint>(
      type: Cast<T>,
      text: string,
      operands?: readonly (number | bigint)[],
      host?: number | bigint
    ): T;
    (type: null, text: string, operands?: readonly (number | bigint)[]): void;
  }>('native', native)
} as const;

// eslint-disable-next-line no-console -- kernels know it by its identity
know(console.log, print);

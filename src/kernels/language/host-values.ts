/** Captured values: numbers become constants, lists of numbers tables, functions are inlined where they are called. */

import type { Table } from '../program/program.ts';
import type { ElementType } from '../program/types.ts';
import { CAI_SYMBOL } from '../../protocols/cai.ts';
import { sourceOfFunction, type FunctionSource } from '../source/function-source.ts';
import { parseFunction } from '../source/parse.ts';
import type { Lowering } from './lowering.ts';
import { weakNumber } from './numbers.ts';
import { Scope } from './scope.ts';
import { laneValue } from './specials.ts';
import type { SourceText, Spot } from './source-text.ts';
import { suggestName } from './suggestions.ts';
import { UNKNOWN, type Binding, type FunctionValue } from './values.ts';

/** Returns what a value of the host is in a kernel. `read` is called again before each launch, to see whether it changed. */
export function bindHost(lowering: Lowering, read: () => unknown, name: string, node: Spot): Binding {
  let value: unknown;
  try {
    value = lowering.capture(read);
  } catch (error) {
    if (error instanceof ReferenceError)
      return lowering.fail(`${name} is not defined`, node, suggestName(name));
    throw error;
  }
  return bindValue(lowering, value, read, name, node);
}

/** Returns what a value that was read is in a kernel. */
export function bindValue(
  lowering: Lowering,
  value: unknown,
  read: () => unknown,
  name: string,
  node: Spot
): Binding {
  if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean')
    return weakNumber(value, lowering.place(node));
  if (value === undefined)
    return lowering.fail(
      name === 'undefined' ? 'undefined has no value in a kernel' : `${name} is undefined`,
      node
    );
  if (typeof value !== 'object' || value === null) return { kind: 'host', value, name };
  const lane = laneValue(value, lowering.place(node));
  if (lane !== undefined) return lane;
  if (CAI_SYMBOL in value || '__cuda_array_interface__' in value)
    return lowering.fail(`${name} is an array of a device`, node, 'pass it to the launch as an argument');
  if (isTable(value)) return lowering.once(value, () => makeTable(lowering, value, read, name, node));
  return { kind: 'host', value, name };
}

/** What helps against functions of the host. */
export const OUTSIDE_HINT = 'compute it before the launch, and pass the number as an argument or capture it';

/** What helps against those, and against methods, whose text is no function. */
const METHOD_HINT = `${OUTSIDE_HINT}; a method of your own works as { name: (a, b) => … }`;

type Numbers = readonly (number | bigint | boolean | Numbers)[];

function isTable(value: object): value is Numbers | ArrayLike<number | bigint> {
  if (Array.isArray(value))
    return value.length > 0 && value.every(each => typeof each !== 'string' && typeof each !== 'function');
  return ArrayBuffer.isView(value) && !(value instanceof DataView);
}

const TYPED: Readonly<Record<string, ElementType>> = {
  Int8Array: 'i8',
  Uint8Array: 'u8',
  Uint8ClampedArray: 'u8',
  Int16Array: 'i16',
  Uint16Array: 'u16',
  Int32Array: 'i32',
  Uint32Array: 'u32',
  BigInt64Array: 'i64',
  BigUint64Array: 'u64',
  Float32Array: 'f32',
  Float64Array: 'f64'
};

function makeTable(
  lowering: Lowering,
  value: Numbers | ArrayLike<number | bigint>,
  read: () => unknown,
  name: string,
  node: Spot
): Binding {
  const content = (from: unknown): readonly (number | bigint | boolean)[] =>
    Array.from(from as readonly number[]).flat(1e3);
  const values = content(value);
  const shape: number[] = [];
  for (let at: unknown = value; typeof at === 'object'; at = (at as readonly unknown[])[0])
    shape.push((at as readonly unknown[]).length);
  if (values.length !== shape.reduce((size, length) => size * length, 1))
    return lowering.fail(`${name} is a list of lists of different lengths`, node);
  // The contents may change while the list stays the same object.
  lowering.capture(() => content(read()).join());
  const element = TYPED[value.constructor.name] ?? elementFor(lowering, values, name, node);
  const table: Table = { name: name.replace(/\W/g, '_'), element, shape, values };
  const index = lowering.tables.push(table) - 1;
  const reference = { from: 'table', index } as const;
  return {
    kind: 'array',
    reference,
    name,
    element,
    rank: shape.length,
    index: [],
    readOnly: true,
    wide: false
  };
}

function elementFor(lowering: Lowering, values: readonly unknown[], name: string, node: Spot): ElementType {
  if (values.every(each => typeof each === 'boolean')) return 'bool';
  if (values.every(each => typeof each === 'bigint')) return 'i64';
  if (!values.every(each => typeof each === 'number'))
    return lowering.fail(
      `${name} is no list of numbers`,
      node,
      'a captured list has numbers, bigints or booleans only'
    );
  return values.every(each => Number.isInteger(each) && Math.abs(each) < 2 ** 31) ? 'i32' : 'f32';
}

/** Makes the function of a captured function of JavaScript. */
export function hostFunction(lowering: Lowering, value: object, name: string, node: Spot): FunctionValue {
  const made = lowering.once(value, () => {
    const source = sourceOfFunction(value, name);
    if (!isReadable(source)) return lowering.fail(`${name} does not work in kernels`, node, METHOD_HINT);
    return functionOf(lowering, source, name);
  });
  return made as FunctionValue;
}

/** Functions of the host, bound functions and methods have no text that a kernel could be made of. */
function isReadable({ text, hint }: FunctionSource): boolean {
  return (
    hint === undefined ||
    (!text.includes('[native code]') && /^(?:async\b|function\b|\(|[\w$]+\s*=>)/.test(text))
  );
}

/** Parses a source and makes its function. */
export function functionOf(lowering: Lowering, source: FunctionSource, name: string): FunctionValue {
  const text = lowering.sourceOf(source);
  if (!isReadable(source))
    throw text.error(
      `${name.trim()} has no source that a kernel could be made of`,
      { start: 0, end: source.text.length },
      'write (x, …) => f(x, …): bound functions, methods and functions of JavaScript itself have none'
    );
  const node = parsed(text);
  return {
    kind: 'function',
    node,
    source: text,
    scope: outerScope(lowering, text),
    name: node.id?.name ?? name
  };
}

function parsed(text: SourceText): ReturnType<typeof parseFunction> {
  try {
    return parseFunction(text.source.text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { pos } = error as SyntaxError & { readonly pos: number };
    throw text.error(error.message.replace(/ \(\d+:\d+\)$/, ''), { start: pos, end: pos + 1 });
  }
}

function outerScope(lowering: Lowering, text: SourceText): Scope {
  const { captured } = text.source;
  const known = new Map<string, Binding>();
  return new Scope(null, (name, node) => {
    let binding = known.get(name);
    if (binding !== undefined) return binding;
    const from = name in captured ? captured : globalThis;
    if (from === globalThis && !(name in globalThis)) {
      if (!lowering.lenient) return undefined;
      binding = UNKNOWN;
    } else {
      const read = (): unknown => (from as Readonly<Record<string, unknown>>)[name];
      const own = from !== globalThis;
      binding = own ? bindHost(lowering, read, name, node) : bindValue(lowering, read(), read, name, node);
    }
    known.set(name, binding);
    return binding;
  });
}

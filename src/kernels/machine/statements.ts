/** Encodes statements. Jumps skip instructions that no lane would run; masks decide which lanes do. Pure. */

import type { Expression, Place, Statement } from '../program/program.ts';
import { VALUE_TYPES } from '../program/types.ts';
import { ATOMIC_NAMES, BARRIER_NAMES, WARP_NAMES } from './codes.ts';
import type { Encoder } from './encode.ts';
import { encodeExpression, operands } from './expressions.ts';
import { NONE } from './registers.ts';

type Kind = Statement['kind'];
type Of<K extends Kind> = Extract<Statement, { kind: K }>;

/** Where a statement is: the masks of enclosing targets, and the jumps to the end of the list. */
interface Scope {
  readonly targets: ReadonlyMap<number, { readonly end: number; readonly next: number }>;
  /** Instructions whose jump goes behind the list. */
  readonly exits: number[];
}

const NOWHERE = 0;

const resultOf = (
  encoder: Encoder,
  result: { readonly id: number; readonly type: (typeof VALUE_TYPES)[number] } | null
): number => (result === null ? NONE : encoder.registers.variable(result.id, result.type));

/** Returns true if a leave inside the statements goes to a target outside them, so that no lane may be left behind them. */
function leaves(statements: readonly Statement[], inside: ReadonlySet<number> = new Set()): boolean {
  return statements.some(statement => {
    if (statement.kind === 'leave') return !inside.has(statement.target);
    if (statement.kind === 'if') return leaves(statement.then, inside) || leaves(statement.otherwise, inside);
    if (statement.kind !== 'block' && statement.kind !== 'loop') return false;
    const within = new Set([...inside, statement.id]);
    const parts = statement.kind === 'block' ? [] : [statement.before, statement.update];
    return [statement.body, ...parts].some(part => leaves(part, within));
  });
}

/** Encodes a list; lanes that left skip to its end. */
function list(encoder: Encoder, statements: readonly Statement[], targets: Scope['targets']): void {
  const scope: Scope = { targets, exits: [] };
  for (const statement of statements) {
    one(encoder, statement, scope);
    if (statement.kind !== 'leave' && leaves([statement]))
      scope.exits.push(encoder.add('skip', statement.place, NOWHERE));
  }
  for (const exit of scope.exits) encoder.land(exit);
}

function test(encoder: Encoder, loop: Of<'loop'>, ended: number, targets: Scope['targets']): number[] {
  list(encoder, loop.before, targets);
  if (loop.condition === null) return [];
  const [condition = 0] = operands(encoder, [loop.condition]);
  return [encoder.add('test', loop.place, condition, ended, NOWHERE)];
}

type Encode = { readonly [K in Kind]: (encoder: Encoder, statement: Of<K>, scope: Scope) => void };

const zero = (place: Place, type: Expression['type']): Expression => ({
  kind: 'constant',
  type,
  place,
  value: type === 'i64' || type === 'u64' ? 0n : 0
});

const encode: Encode = {
  declare(encoder, { variable, value, place }) {
    const target = encoder.registers.variable(variable.id, variable.type);
    encodeExpression(encoder, value ?? zero(place, variable.type), target);
  },
  assign(encoder, { variable, value }) {
    encodeExpression(encoder, value, encoder.registers.variable(variable.id, variable.type));
  },
  store(encoder, { array, index, value, place }) {
    const [source = 0, ...indices] = operands(encoder, [value, ...index]);
    encoder.add('store', place, encoder.arrayNumber(array), source, ...indices);
  },
  loadVector(encoder, { array, index, results, place }) {
    const indices = operands(encoder, index);
    const registers = results.map(result => resultOf(encoder, result));
    encoder.add('loadVector', place, encoder.arrayNumber(array), results.length, ...registers, ...indices);
  },
  storeVector(encoder, { array, index, values, place }) {
    const found = operands(encoder, [...values, ...index]);
    encoder.add('storeVector', place, encoder.arrayNumber(array), values.length, ...found);
  },
  atomic(encoder, statement) {
    const { name, array, index, result, place } = statement;
    const [first, second] = statement.arguments;
    const found = operands(encoder, [...statement.arguments, ...index]);
    const values = [first, second].map((value, at) => (value === undefined ? NONE : (found[at] as number)));
    const indices = found.slice(statement.arguments.length);
    const operation = ATOMIC_NAMES.indexOf(name);
    encoder.add(
      'atomic',
      place,
      encoder.arrayNumber(array),
      operation,
      resultOf(encoder, result),
      ...values,
      ...indices
    );
  },
  warp(encoder, statement) {
    const { name, result, place } = statement;
    const found = operands(encoder, statement.arguments);
    const four = Array.from({ length: 4 }, (_, at) => found[at] ?? NONE);
    const type = statement.arguments[1]?.type ?? 'u32';
    encoder.add(
      'warp',
      place,
      WARP_NAMES.indexOf(name),
      VALUE_TYPES.indexOf(type),
      resultOf(encoder, result),
      ...four
    );
  },
  barrier(encoder, statement) {
    const { name, result, place } = statement;
    const [given = NONE] = operands(encoder, statement.arguments);
    encoder.add('barrier', place, BARRIER_NAMES.indexOf(name), resultOf(encoder, result), given);
  },
  fence() {
    // All lanes run each instruction before the next, and stores are not delayed.
  },
  print(encoder, { parts, place }) {
    const values = operands(
      encoder,
      parts.filter(part => typeof part !== 'string')
    );
    let next = 0;
    const words = parts.flatMap(part =>
      typeof part === 'string' ? [0, encoder.data.text(part)] : [1, values[next++] as number]
    );
    encoder.add('print', place, ...words);
  },
  assert(encoder, { condition, message, place }) {
    const [found = 0] = operands(encoder, [condition]);
    encoder.add('assert', place, found, encoder.data.text(message));
  },
  native(encoder, { result, host, place }) {
    if (host !== null)
      encodeExpression(encoder, host, result === null ? undefined : resultOf(encoder, result));
    else encoder.add('fail', place);
  },
  if(encoder, { condition, then, otherwise, place }, { targets }) {
    const [chosen = 0] = operands(encoder, [condition]);
    const others = encoder.mask();
    const first = encoder.add('if', place, chosen, others, NOWHERE);
    list(encoder, then, targets);
    encoder.land(first);
    if (otherwise.length === 0) return void encoder.add('merge', place, others);
    const kept = encoder.mask();
    const second = encoder.add('else', place, others, kept, NOWHERE);
    list(encoder, otherwise, targets);
    encoder.land(second);
    encoder.add('merge', place, kept);
  },
  loop(encoder, statement, { targets }) {
    const { id, body, update, testLast, place } = statement;
    const [end, next] = [encoder.mask(), encoder.mask()];
    const within = new Map([...targets, [id, { end, next }]]);
    encoder.add('begin', place, end);
    encoder.add('begin', place, next);
    const head = encoder.instructions.length;
    const exits = testLast ? [] : test(encoder, statement, end, within);
    list(encoder, body, within);
    encoder.add('merge', place, next);
    exits.push(encoder.add('skip', place, NOWHERE));
    if (testLast) exits.push(...test(encoder, statement, end, within));
    list(encoder, update, within);
    encoder.add('back', place, head);
    for (const exit of exits) encoder.land(exit);
    encoder.add('merge', place, end);
  },
  block(encoder, { id, body, place }, { targets }) {
    // The kernel's body: its mask is that of the threads that ended, and no lane goes on behind it.
    if (id === 0) return list(encoder, body, targets);
    const end = encoder.mask();
    encoder.add('begin', place, end);
    list(encoder, body, new Map([...targets, [id, { end, next: end }]]));
    encoder.add('merge', place, end);
  },
  leave(encoder, { target, to, place }, scope) {
    const masks = scope.targets.get(target);
    if (masks === undefined)
      throw new Error(`the program leaves ${target}, which does not enclose the statement`);
    scope.exits.push(encoder.add('leave', place, masks[to], NOWHERE));
  }
};

function one(encoder: Encoder, statement: Statement, scope: Scope): void {
  (encode[statement.kind] as (encoder: Encoder, statement: Statement, scope: Scope) => void)(
    encoder,
    statement,
    scope
  );
}

/** Encodes the kernel's body, the block 0, whose mask is 0. */
export function encodeBody(encoder: Encoder): void {
  list(encoder, encoder.program.body, new Map([[0, { end: 0, next: 0 }]]));
}

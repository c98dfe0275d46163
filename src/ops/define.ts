/** Makes functions of arrays and values from instructions. */

import { NDArray } from '../array/array.ts';
import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { Computation, compute, type OutOption } from './evaluate.ts';
import { Expression } from '../compute/program/expression.ts';
import { INSTRUCTIONS, type Opcode } from '../compute/program/instructions.ts';
import { elementTypeOf, isOperand } from '../compute/program/promotion.ts';
import type { Rule, Term } from './rules.ts';

/** Computations by the dtypes and values of their operands, with a level of maps for each operand. */
type Known = Map<unknown, Known | Computation>;

const NO_OPTIONS: OutOption = Object.freeze({});

/** A map that grows past this is emptied, because a program may pass a new value at each call. */
const MOST_KNOWN = 128;

/** Returns the key of an operand; undefined for complex numbers, and -0, which maps do not distinguish from 0. */
function keyOf(operand: unknown): unknown {
  if (operand instanceof NDArray) return operand.dtype;
  if (typeof operand === 'number') return Object.is(operand, -0) ? undefined : operand;
  return typeof operand === 'bigint' || typeof operand === 'boolean' ? operand : undefined;
}

/** Makes the function of an instruction; `rule` makes its expression from the operands. */
export function define<Signature>(name: Opcode, rule: Rule): Signature {
  return defineComposite(name, INSTRUCTIONS[name].operands, terms => rule(name, terms));
}

/** Makes a function of `arity` operands; `apply` makes one expression from their terms. */
export function defineComposite<Signature>(
  name: string,
  arity: number,
  apply: (terms: readonly Term[]) => Expression
): Signature {
  const root: Known = new Map<unknown, Known | Computation>();
  const call = (...all: unknown[]): NDArray => {
    const options = (all[arity] as OutOption | undefined) ?? NO_OPTIONS;
    const inputs: NDArray[] = [];
    let found: Known | Computation | undefined = root;
    for (let index = 0; index < arity; index++) {
      const operand = all[index];
      if (operand instanceof NDArray) inputs.push(operand as NDArray);
      if (found !== undefined) found = (found as Known).get(keyOf(operand));
    }
    if (found !== undefined && inputs.length > 0) return compute(found as Computation, inputs, options);
    const operands = all.slice(0, arity);
    const terms = termsOf(name, operands);
    if (inputs.length === 0) throw new ArgumentError(`${name}: at least one operand must be an array`);
    const types = inputs.map(({ dtype }) => elementTypeOf(dtype));
    const computation = new Computation(apply(terms), types);
    remember(root, operands.map(keyOf), computation);
    return compute(computation, inputs, options);
  };
  return call as Signature;
}

function termsOf(name: string, operands: readonly unknown[]): Term[] {
  let inputs = 0;
  return operands.map((operand, index) => {
    if (operand instanceof NDArray)
      return Expression.input(inputs++, elementTypeOf((operand as NDArray).dtype));
    if (isOperand(operand)) return operand;
    throw new ArgumentError(
      `${name}: operand ${index + 1} is ${textOf(operand)}, expected an array or a value`
    );
  });
}

function remember(root: Known, keys: readonly unknown[], computation: Computation): void {
  if (keys.includes(undefined)) return;
  let at = root;
  for (const [index, key] of keys.entries()) {
    if (at.size >= MOST_KNOWN && !at.has(key)) at.clear();
    const last = index === keys.length - 1;
    const next = at.get(key) ?? (last ? computation : new Map<unknown, Known | Computation>());
    at.set(key, next);
    if (!last) at = next as Known;
  }
}

/** Emits kernels that tests write by hand. */

import { emitCuda } from '../../../../src/kernels/cuda/emit.ts';
import type { Expression, Program, Statement, Variable } from '../../../../src/kernels/program/program.ts';
import type { ValueType } from '../../../../src/kernels/program/types.ts';
import * as b from '../machine/build-program.ts';

let ids = 0;
export const variable = (name: string, type: ValueType): Variable => ({ id: ids++, name, type });

/** Emits a kernel with the statements as its body. */
export function emit(
  statements: readonly Statement[],
  at = b.builder(),
  more: Partial<Program> = {},
  lines = false
): string {
  return emitCuda({ ...at.program([b.block(0, statements)]), ...more }, { lines });
}

/** Returns the lines between the braces of the kernel. */
export function inside(text: string): string[] {
  const lines = text.trimEnd().split('\n');
  const kernel = lines.findIndex(line => line.startsWith('extern'));
  const start = lines.findIndex((line, index) => index >= kernel && line.endsWith(') {'));
  return lines.slice(start + 1, -1).map(line => line.slice(2));
}

export const bodyOf = (statements: readonly Statement[], at = b.builder()): string[] =>
  inside(emit(statements, at));

/** Returns a variable as an expression, which the emitter cannot replace by a value. */
export function named(name: string, type: ValueType): Expression {
  return b.use(variable(name, type));
}

export const increment = (of: Variable, by: Expression | number = 1): Statement =>
  b.assign(of, b.add(b.use(of), by));

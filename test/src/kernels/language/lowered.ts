/** Lowers the text of a kernel with what tests capture. */

import { cuda } from '../../../../src/kernels/cuda.ts';
import { lowerKernel, type ArgumentType, type Lowered } from '../../../../src/kernels/language/lower.ts';
import * as types from '../../../../src/kernels/language/number-types.ts';

export function lowered(
  text: string,
  captured: Readonly<Record<string, unknown>> = {},
  given: readonly (ArgumentType | undefined)[] = []
): Lowered {
  // Getters stay getters.
  const names = Object.create({ cuda, ...types }, Object.getOwnPropertyDescriptors(captured)) as object;
  const source = { text, file: 'cell 1', line: 1, column: 0, captured: names as Record<string, unknown> };
  return lowerKernel(source, 'kernel', given);
}

/** Returns the types of the named variables of a kernel. */
export function typesOf(
  text: string,
  captured: Readonly<Record<string, unknown>> = {}
): Record<string, string> {
  const { program } = lowered(text, captured);
  return Object.fromEntries(
    program.variables.filter(({ name }) => name !== '').map(({ name, type }) => [name, type])
  );
}

/** Returns the error of a kernel that is refused. */
export function refused(text: string, captured: Readonly<Record<string, unknown>> = {}): Error {
  try {
    lowered(text, captured);
  } catch (error) {
    return error as Error;
  }
  throw new Error(`not refused: ${text}`);
}

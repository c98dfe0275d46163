/** What the parts of the emitter share. Pure. */

import type { Expression, Program } from '../program/program.ts';
import type { Names } from './names.ts';
import type { PieceName } from './prelude.ts';
import { call, cast, type Text } from './text.ts';
import { TYPES } from './types.ts';

export interface Emission {
  readonly program: Program;
  readonly names: Names;
  /** Values that stand in place of variables, by id. */
  readonly inlined: ReadonlyMap<number, Expression>;
  /** Notes that the text calls a function of the prelude. */
  use(name: PieceName): void;
  /** Writes an expression. Where C++ converts to its type anyway, the text may be unsigned in place of signed. */
  write(node: Expression): Text;
}

/** Writes an expression with exactly its type. */
export function typed(emission: Emission, node: Expression): Text {
  const text = emission.write(node);
  return text.unsigned ? cast(TYPES[node.type], text) : text;
}

/** Writes a call of a function of the prelude. */
export function callPiece(emission: Emission, name: PieceName, ...values: readonly Text[]): Text {
  emission.use(name);
  return call(name, ...values);
}

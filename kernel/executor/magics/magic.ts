/** What a magic is: a named order to the kernel, with a line of help. */

import type { MagicName } from '../../protocol/magics.ts';
import type { Magic } from '../../protocol/magics.ts';
import type { NotebookNames } from '../transform/names.ts';

export interface MagicCall {
  /** What stands behind the name, without spaces around it. */
  readonly argument: string;
  /** The text below a cell magic. */
  readonly body: string;
  /** The magic itself, with its place in the cell. */
  readonly magic: Magic;
  /** The cell, and how people call it. */
  readonly cell: { readonly label: string; readonly source: string };
  /** The notebook's folder, which `%cd` does not change. */
  readonly folder: string;
  readonly names: NotebookNames;
  /** Aborted when the cell is interrupted. */
  readonly signal: AbortSignal;
  /** Makes a value the cell's result. */
  result(value: unknown): void;
  /** Gives variables of the notebook their values, also those that were not there. */
  declare(values: ReadonlyMap<string, unknown>): void;
}

export interface MagicDefinition {
  /** As it is typed: `%cd FOLDER`. */
  readonly usage: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** Throws `MagicError` for what its user did wrong. */
  run(call: MagicCall): void | Promise<void>;
}

/** Some of the magics. */
export type MagicTable<Name extends MagicName> = Readonly<Record<Name, MagicDefinition>>;

/** A magic that cannot do what it was asked for; shown with its line, without frames. */
export class MagicError extends Error {
  /** Where the magic stands in its cell, in UTF-16 units; set by the dispatcher. */
  start = 0;

  constructor(message: string, name = 'MagicError') {
    super(message);
    this.name = name;
  }
}

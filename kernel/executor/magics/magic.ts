/** Types of magics: named commands to the kernel, each with a line of help. */

import type { MagicName } from '../../protocol/magics.ts';
import type { Magic } from '../../protocol/magics.ts';
import type { RemoteScheme } from '../modules/remote-scheme.ts';
import type { NotebookNames } from '../transform/names.ts';

export interface MagicCall {
  /** The text after the name, trimmed. */
  readonly argument: string;
  /** The text below a cell magic. */
  readonly body: string;
  readonly magic: Magic;
  readonly cell: { readonly label: string; readonly source: string };
  /** The notebook's folder, which `%cd` does not change. */
  readonly folder: string;
  readonly names: NotebookNames;
  /** Loads the schemes of remote modules. */
  readonly schemes: () => Promise<readonly RemoteScheme[]>;
  /** Aborted when the cell is interrupted. */
  readonly signal: AbortSignal;
  /** Makes a value the cell's result. */
  result(value: unknown): void;
  /** Assigns variables of the notebook; creates those that do not exist. */
  declare(values: ReadonlyMap<string, unknown>): void;
}

export interface MagicDefinition {
  /** The magic as it is typed: `%cd FOLDER`. */
  readonly usage: string;
  /** One sentence without a full stop. */
  readonly summary: string;
  /** Throws `MagicError` for mistakes of the user. */
  run(call: MagicCall): void | Promise<void>;
}

export type MagicTable<Name extends MagicName> = Readonly<Record<Name, MagicDefinition>>;

/** Error of a magic; shown with its line, without frames. */
export class MagicError extends Error {
  /** Offset of the magic in its cell, in UTF-16 units; set by the dispatcher. */
  start = 0;

  constructor(message: string, name = 'MagicError') {
    super(message);
    this.name = name;
  }
}

/** The user's `tsconfig.json` for cells. Its faults are reported once, on stderr of the first cell affected. */

import { TsConfigReader, type CompilerOptions, type TsConfig } from '../../protocol/tsconfig.ts';

export class CellSettings {
  readonly #reader: TsConfigReader;
  #told: string | undefined;

  constructor(folder: string) {
    this.#reader = new TsConfigReader(folder);
  }

  read(): TsConfig {
    return this.#reader.read();
  }

  /** Returns the options; called once for each cell. */
  compilerOptions(): CompilerOptions {
    const { fault, compilerOptions } = this.read();
    if (fault !== undefined && fault !== this.#told) process.stderr.write(`${fault}\n`);
    this.#told = fault;
    return compilerOptions;
  }
}

/** The user's `tsconfig.json` as cells obey it. Its faults are told once, on stderr of the cell that met them. */

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

  /** Called once for each cell. */
  compilerOptions(): CompilerOptions {
    const { fault, compilerOptions } = this.read();
    if (fault !== undefined && fault !== this.#told) process.stderr.write(`${fault}\n`);
    this.#told = fault;
    return compilerOptions;
  }
}

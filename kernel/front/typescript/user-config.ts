/** The user's `tsconfig.json`, whose reader is loaded when the kernel has greeted its client. */

import type { TsConfig, TsConfigReader } from '../../protocol/tsconfig.ts';

export class UserConfig {
  #loading: Promise<void> | undefined;
  #reader: TsConfigReader | undefined;

  /** Undefined until it was loaded; after that the same object as long as the settings are the same. */
  read(): TsConfig | undefined {
    return this.#reader?.read();
  }

  load(): Promise<void> {
    this.#loading ??= import('../../protocol/tsconfig.ts').then(({ TsConfigReader }) => {
      this.#reader = new TsConfigReader(process.cwd());
    });
    return this.#loading;
  }
}

/** The user's `tsconfig.json`; its reader is loaded after the kernel has answered its client. */

import type { TsConfig, TsConfigReader } from '../../protocol/tsconfig.ts';

export class UserConfig {
  #loading: Promise<void> | undefined;
  #reader: TsConfigReader | undefined;

  /** Returns the settings; undefined until loaded, then one object for as long as they are unchanged. */
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

/** The addon that interrupts JavaScript from another thread (native/interrupts). */

import { createRequire } from 'node:module';

interface InterruptsAddon {
  /** Makes the calling thread the one to interrupt. `look` then runs there, and returns whether to terminate its JavaScript. */
  follow(look: () => boolean): void;
  /** Requests an interrupt, from any thread: `look` runs as soon as the followed thread runs JavaScript. */
  request(): void;
}

/** Loads the addon. If it was not built, cells run, but their JavaScript cannot be stopped. */
export function interruptsAddon(): InterruptsAddon {
  try {
    return createRequire(import.meta.url)('#interrupts') as InterruptsAddon;
  } catch (error) {
    process.emitWarning(`interrupts cannot stop cells (${(error as Error).message}): run \`npm run build\``);
    return { follow: () => {}, request: () => {} };
  }
}

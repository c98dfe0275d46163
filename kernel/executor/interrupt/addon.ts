/** The addon that interrupts JavaScript from another thread (native/interrupts). */

import { createRequire } from 'node:module';

interface InterruptsAddon {
  /** Makes the calling thread the one that is interrupted. `look` runs then, and gives whether its JavaScript is to end. */
  follow(look: () => boolean): void;
  /** For any thread: `look` runs as soon as the followed one runs JavaScript. */
  request(): void;
}

/** Where it was not built, cells run all the same, and their JavaScript cannot be stopped. */
export function interruptsAddon(): InterruptsAddon {
  try {
    return createRequire(import.meta.url)('#interrupts') as InterruptsAddon;
  } catch (error) {
    process.emitWarning(`interrupts cannot stop cells (${(error as Error).message}): run \`npm run build\``);
    return { follow: () => {}, request: () => {} };
  }
}

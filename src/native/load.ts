/** Loads the addon once, checks that it belongs to this package and connects it to the library's errors. */

import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { AddonError, errorFromNative } from '../base/errors.ts';
import type { NativeBinding } from './binding.ts';

/** A kernel publishes the word that its interrupts set under this symbol; native waits poll it. */
const INTERRUPT_FLAG = Symbol.for('stridelab.interrupt-flag');
/** Under this one, the function in which it stops the JavaScript that called such a wait. */
const AWAIT_STOP = Symbol.for('stridelab.await-stop');

let binding: NativeBinding | undefined;
const waiting: ((loaded: NativeBinding) => void)[] = [];
let collector: (() => void) | undefined;

/** V8's own full collection. The function exists in contexts made after the flag is set, so one is made at the first call. */
function collectGarbage(): void {
  if (collector === undefined) {
    setFlagsFromString('--expose-gc');
    collector = runInNewContext('gc') as () => void;
  }
  collector();
}

/**
 * The addon. Loaded at the first call, so that importing the library costs nothing where no array is made.
 * @throws AddonError when it was not built, or was built for another version.
 */
export function native(): NativeBinding {
  if (binding !== undefined) return binding;
  const require = createRequire(import.meta.url);
  const { version } = require('#package') as { version: string };
  let loaded: NativeBinding;
  try {
    loaded = require('#native') as NativeBinding;
  } catch (cause) {
    throw new AddonError('the native core is not built: run `npm run build` in the stridelab folder', {
      cause
    });
  }
  if (loaded.version !== version) {
    throw new AddonError(
      `the native core is version ${loaded.version}, the package ${version}: run \`npm run build\``
    );
  }
  loaded.setErrorFactory(errorFromNative);
  loaded.setCollector(collectGarbage);
  const host = globalThis as { [INTERRUPT_FLAG]?: unknown; [AWAIT_STOP]?: () => void };
  const flag = host[INTERRUPT_FLAG];
  if (flag instanceof Int32Array) loaded.setInterruptFlag(flag, host[AWAIT_STOP]);
  binding = loaded;
  for (const connect of waiting.splice(0)) connect(loaded);
  return loaded;
}

/** Calls `connect` with the addon once it is loaded, and does not load it. */
export function whenLoaded(connect: (loaded: NativeBinding) => void): void {
  if (binding === undefined) waiting.push(connect);
  else connect(binding);
}

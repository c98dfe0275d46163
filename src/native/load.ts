/** Loads the addon once, checks that it belongs to this package and connects it to the library's errors. */

import { createRequire } from 'node:module';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

import { AddonError, errorFromNative } from '../base/errors.ts';
import type { NativeBinding } from './binding.ts';

/** The symbol under which a kernel publishes the word that its interrupts set; native waits poll it. */
const INTERRUPT_FLAG = Symbol.for('stridelab.interrupt-flag');
/** The symbol of the function in which the kernel terminates the JavaScript that called such a wait. */
const AWAIT_STOP = Symbol.for('stridelab.await-stop');

let binding: NativeBinding | undefined;
const waiting: ((loaded: NativeBinding) => void)[] = [];
type Collector = (options?: { readonly type: 'minor' }) => void;
let collector: Collector | undefined;

/** Collects garbage now, all or only young objects: in synchronous code nothing else frees arrays that were dropped without `dispose`. */
export function collectGarbage(young = false): void {
  collector ??= (globalThis as { gc?: Collector }).gc ?? exposedCollector();
  if (young) collector({ type: 'minor' });
  else collector();
}

/** V8's full collection exists only in contexts that are made while the flag is set. */
function exposedCollector(): Collector {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collector;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

interface Manifest {
  readonly version: string;
  /** Whether this is a checkout: published packages are not private. */
  readonly private?: boolean;
}

function whyNotLoaded(own: Manifest, { code, message }: NodeJS.ErrnoException): string {
  if (code !== 'MODULE_NOT_FOUND') return `the native core cannot be loaded: ${message}`;
  if (own.private === true)
    return 'the native core is not built: run `npm run build` in the stridelab folder';
  return (
    `the native core for ${process.platform}-${process.arch} is not installed: there is one for Linux on x86-64 with glibc, ` +
    'in an optional package, which npm leaves out with --omit=optional'
  );
}

/**
 * Returns the addon, loaded on the first call, so that importing the library costs nothing without arrays.
 * @throws AddonError if it is missing or cannot be loaded, or was built for another version
 */
export function native(): NativeBinding {
  if (binding !== undefined) return binding;
  const require = createRequire(import.meta.url);
  const own = require('#package') as Manifest;
  const { version } = own;
  let loaded: NativeBinding;
  try {
    loaded = require('#native') as NativeBinding;
  } catch (cause) {
    throw new AddonError(whyNotLoaded(own, cause as NodeJS.ErrnoException), { cause });
  }
  if (loaded.version !== version)
    throw new AddonError(
      `the native core has version ${loaded.version}, expected ${version}: run \`npm run build\``
    );
  loaded.setErrorFactory(errorFromNative);
  loaded.setCollector(collectGarbage);
  const host = globalThis as { [INTERRUPT_FLAG]?: unknown; [AWAIT_STOP]?: () => void };
  const flag = host[INTERRUPT_FLAG];
  if (flag instanceof Int32Array) loaded.setInterruptFlag(flag, host[AWAIT_STOP]);
  binding = loaded;
  for (const connect of waiting.splice(0)) connect(loaded);
  return loaded;
}

/** Calls `connect` with the addon once it is loaded; does not load it. */
export function whenLoaded(connect: (loaded: NativeBinding) => void): void {
  if (binding === undefined) waiting.push(connect);
  else connect(binding);
}

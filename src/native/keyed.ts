/** The addon's functions of keys, looked up once: they are called too often to read two properties each time. */

import type { NativeKeyed } from './keyed-binding.ts';
import { native } from './load.ts';

let loaded: NativeKeyed | undefined;

export function keyed(): NativeKeyed {
  return (loaded ??= native().keyed);
}

/** Values as MIME bundles: an object may choose its own by the display method, everything has `text/plain`. */

import { inspect } from 'node:util';
import type { JsonObject } from '../protocol/messages.ts';

/** The same symbol as `DISPLAY_METHOD` of the array library, which the kernel does not load for it. */
const DISPLAY_METHOD = Symbol.for('Jupyter.display');

export async function displayBundle(value: unknown): Promise<JsonObject> {
  const own = await ownBundle(value);
  // A value that describes itself in text is not inspected, which could be long.
  return own !== undefined && 'text/plain' in own ? own : { 'text/plain': asText(value), ...own };
}

function asText(value: unknown): string {
  return inspect(value, { colors: true });
}

function ownBundle(value: unknown): JsonObject | Promise<JsonObject> | undefined {
  if ((typeof value !== 'object' || value === null) && typeof value !== 'function') return undefined;
  const method: unknown = (value as Record<symbol, unknown>)[DISPLAY_METHOD];
  return typeof method === 'function' ? (method.call(value) as JsonObject | Promise<JsonObject>) : undefined;
}

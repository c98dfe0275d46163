/** `Deno.inspect`. */

import { inspect as nodeInspect, type InspectOptions as NodeOptions } from 'node:util';

/** Options of `Deno.inspect`. */
export interface InspectOptions {
  /** How deep nested objects are shown. Default: 4. */
  readonly depth?: number;
  readonly colors?: boolean;
  /** Whether short entries share lines. Default: true. */
  readonly compact?: boolean;
  /** How many entries of an array, map or set are shown. Default: 100. */
  readonly iterableLimit?: number;
  /** How many characters of a text are shown. Default: 10000. */
  readonly strAbbreviateSize?: number;
  readonly breakLength?: number;
  readonly showHidden?: boolean;
  /** Whether to read getters. Default: false. */
  readonly getters?: boolean;
  readonly showProxy?: boolean;
  readonly sorted?: boolean;
}

/** Returns a value as text, as `console.log` prints it. */
export function inspect(value: unknown, options: InspectOptions = {}): string {
  const { depth = 4, iterableLimit, strAbbreviateSize, compact, ...others } = options;
  const given: NodeOptions = {
    depth,
    ...others,
    ...(iterableLimit !== undefined && { maxArrayLength: iterableLimit }),
    ...(strAbbreviateSize !== undefined && { maxStringLength: strAbbreviateSize }),
    ...(compact === false && { compact })
  };
  return nodeInspect(value, given);
}

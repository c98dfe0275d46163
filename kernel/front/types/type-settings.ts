/** How type errors are treated in this notebook: set by a magic, the environment or the user's tsconfig.json, in that order. */

import { isTypesMode, type TypesMode } from '../../protocol/magics.ts';
import type { TsConfig } from '../../protocol/tsconfig.ts';

/** In `strict` mode, a cell whose check takes longer runs unchecked. */
const DEFAULT_DEADLINE_MS = 2_000;

export const MODE_VARIABLE = 'STRIDELAB_TYPES';
export const DEADLINE_VARIABLE = 'STRIDELAB_TYPES_DEADLINE';

export interface TypeSettings {
  readonly mode: TypesMode;
  /** Milliseconds, counted from the time at which the cell could run. */
  readonly deadline: number;
  /** Settings with unknown values; one sentence each. */
  readonly faults: readonly string[];
}

/** Returns the settings. `magic` is the mode that a cell has set. */
export function typeSettings(
  magic: TypesMode | undefined,
  environment: NodeJS.ProcessEnv,
  { stridelab }: Pick<TsConfig, 'stridelab'>
): TypeSettings {
  const faults: string[] = [];
  const first = <Value>(
    places: readonly [string, unknown][],
    accept: (value: unknown) => Value | undefined,
    what: string
  ): Value | undefined => {
    for (const [place, value] of places) {
      if (value === undefined || value === '') continue;
      const accepted = accept(value);
      if (accepted !== undefined) return accepted;
      faults.push(`${place} is ${JSON.stringify(value)}, expected ${what}.`);
    }
    return undefined;
  };
  const mode = first(
    [
      ['%types', magic],
      [MODE_VARIABLE, environment[MODE_VARIABLE]],
      ['"stridelab": {"types"} in tsconfig.json', stridelab['types']]
    ],
    value => (isTypesMode(value) ? value : undefined),
    'strict, warn or off'
  );
  const deadline = first(
    [
      [DEADLINE_VARIABLE, environment[DEADLINE_VARIABLE]],
      ['"stridelab": {"typesDeadline"} in tsconfig.json', stridelab['typesDeadline']]
    ],
    value => (Number(value) > 0 ? Number(value) : undefined),
    'a number of milliseconds above 0'
  );
  return { mode: mode ?? 'warn', deadline: deadline ?? DEFAULT_DEADLINE_MS, faults };
}

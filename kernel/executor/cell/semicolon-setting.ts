/** Whether a semicolon at the end of a cell hides its value, as in IPython. */

import type { TsConfig } from '../../protocol/tsconfig.ts';

const VARIABLE = 'STRIDELAB_SEMICOLON';
const VALUES = ['show', 'hide'];

/** Reads the setting from the environment or the user's tsconfig.json, in that order. `fault` is a sentence about an unknown value. */
export function semicolonSetting(
  environment: NodeJS.ProcessEnv,
  { stridelab }: Pick<TsConfig, 'stridelab'>
): { readonly hides: boolean; readonly fault: string | undefined } {
  const places: readonly (readonly [string, unknown])[] = [
    [VARIABLE, environment[VARIABLE]],
    ['"stridelab": {"semicolon"} in tsconfig.json', stridelab['semicolon']]
  ];
  const given = places.filter(([, value]) => value !== undefined && value !== '');
  const known = given.find(([, value]) => VALUES.includes(value as string));
  const wrong = given.find(([, value]) => !VALUES.includes(value as string));
  return {
    hides: known?.[1] === 'hide',
    fault: wrong && `${wrong[0]} is ${JSON.stringify(wrong[1])}, expected show or hide.`
  };
}

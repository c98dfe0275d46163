/**
 * Settings of the CUDA Array Interface from the environment, read once (rules 12, 76 to 78). Options of a call take precedence. A
 * variable that is not set has its default.
 *
 * `STRIDELAB_CAI_SYNC=0`: imports wait for nothing. `STRIDELAB_CAI_EXPORT_STREAM=0`: exports name no stream.
 * `STRIDELAB_CAI_EXPORT_VERSION=0..3`: version of exports. `STRIDELAB_CAI_VALIDATE=strict|structure|none`: how imports are checked.
 */

import { ArgumentError } from '../base/errors.ts';
import { CAI_VERSION, type CaiVersion } from '../protocols/cai.ts';

/**
 * How much of a descriptor is checked. `structure`: its entries, and which device its pointer belongs to. `strict`: also the driver's
 * allocation: bounds, freed memory, alignment. `none`: entries are read and trusted.
 */
export type Validation = 'strict' | 'structure' | 'none';

export interface CaiSettings {
  readonly sync: boolean;
  readonly exportStream: boolean;
  readonly exportVersion: CaiVersion;
  readonly validate: Validation;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Reads the settings. @throws ArgumentError that names the variable and its allowed values */
export function readSettings(environment: Environment): CaiSettings {
  const choose = <Value>(name: string, values: Readonly<Record<string, Value>>, standard: Value): Value => {
    const text = environment[name];
    if (text === undefined || text === '') return standard;
    const key = text.toLowerCase();
    if (Object.hasOwn(values, key)) return values[key] as Value;
    throw new ArgumentError(`${name}='${text}': expected ${Object.keys(values).join(', ')}`);
  };
  const onOff = { 0: false, 1: true, false: false, true: true };
  const versions = { 0: 0, 1: 1, 2: 2, 3: 3 } as const;
  const levels = { strict: 'strict', structure: 'structure', none: 'none' } as const;
  return Object.freeze({
    sync: choose('STRIDELAB_CAI_SYNC', onOff, true),
    exportStream: choose('STRIDELAB_CAI_EXPORT_STREAM', onOff, true),
    exportVersion: choose<CaiVersion>('STRIDELAB_CAI_EXPORT_VERSION', versions, CAI_VERSION),
    validate: choose<Validation>('STRIDELAB_CAI_VALIDATE', levels, 'structure')
  });
}

/** Read on first use, so that an invalid variable fails a call instead of the import of the library. */
let settings: CaiSettings | null = null;

export function caiSettings(): CaiSettings {
  settings ??= readSettings(process.env);
  return settings;
}

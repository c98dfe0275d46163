/** User settings for plugins: complete and in range whatever the settings file contains. */

import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import {
  DEFAULT_VIEW_SETTINGS,
  DIVERGING_COLOURS,
  SEQUENTIAL_COLOURS,
  type ViewSettings
} from '../views/kit/settings.ts';

export const GROUPINGS = ['storage', 'device', 'dtype', 'stream', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];

export interface Settings extends ViewSettings {
  readonly followActive: boolean;
  readonly groupBy: Grouping;
  /** Polling interval in milliseconds. */
  readonly pollInterval: number;
  readonly showInRunning: boolean;
}

/** Equal to the defaults in labextension/schema/settings.json. */
export const DEFAULT_SETTINGS: Settings = {
  ...DEFAULT_VIEW_SETTINGS,
  followActive: true,
  groupBy: 'storage',
  pollInterval: 2000,
  showInRunning: true
};

export interface ISettings {
  readonly values: Settings;
  /** Settles once the settings were read, or could not be. */
  readonly ready: Promise<void>;
  readonly changed: ISignal<ISettings, void>;
}

export const ISettings = new Token<ISettings>('stridelab:ISettings', 'User settings of Stridelab.');

/** The settings that are one of several names. */
const CHOICES: Readonly<Record<string, readonly unknown[]>> = {
  groupBy: GROUPINGS,
  divergingColours: DIVERGING_COLOURS,
  sequentialColours: SEQUENTIAL_COLOURS
};

/** Replaces missing values and those of another type with defaults; JupyterLab has checked ranges. */
export function readSettings(composite: Readonly<Record<string, unknown>>): Settings {
  const read = Object.entries<unknown>({ ...DEFAULT_SETTINGS }).map(([name, standard]) => {
    const value = composite[name];
    const isValid = CHOICES[name]?.includes(value) ?? typeof value === typeof standard;
    return [name, isValid ? value : standard];
  });
  return Object.fromEntries(read) as Settings;
}

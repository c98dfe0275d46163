/** User settings for plugins: complete and in range whatever the settings file contains. */

import { Token } from '@lumino/coreutils';
import type { ISignal } from '@lumino/signaling';
import { GROUPINGS, type Grouping } from './groupings.ts';
import {
  DEFAULT_VIEW_SETTINGS,
  DIVERGING_COLOURS,
  SEQUENTIAL_COLOURS,
  type ViewSettings
} from '../views/kit/settings.ts';

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

export const ISettings = new Token<ISettings>('stridelab:ISettings', 'What people have set of Stridelab.');

/** Replaces missing values and those of another type with defaults; JupyterLab has checked ranges. */
export function readSettings(composite: Readonly<Record<string, unknown>>): Settings {
  const read = Object.entries(DEFAULT_SETTINGS).map(([name, standard]) => {
    const value = composite[name];
    return [name, typeof value === typeof standard ? value : standard] as const;
  });
  const settings = Object.fromEntries(read) as unknown as Settings;
  const { groupBy, divergingColours, sequentialColours } = settings;
  return {
    ...settings,
    groupBy: oneOf(GROUPINGS, groupBy, 'storage'),
    divergingColours: oneOf(DIVERGING_COLOURS, divergingColours, 'theme'),
    sequentialColours: oneOf(SEQUENTIAL_COLOURS, sequentialColours, 'theme')
  };
}

function oneOf<Name extends string>(names: readonly Name[], value: Name, standard: Name): Name {
  return names.includes(value) ? value : standard;
}

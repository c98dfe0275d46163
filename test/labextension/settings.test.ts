import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISettingRegistry } from '@jupyterlab/settingregistry';
import { Signal } from '@lumino/signaling';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import plugin from '../../labextension/src/plugins/settings.ts';
import { DEFAULT_SETTINGS, GROUPINGS, readSettings } from '../../labextension/src/sidebar/settings.ts';
import { CommandIDs } from '../../labextension/src/sidebar/command-ids.ts';
import {
  DEFAULT_VIEW_SETTINGS,
  DIVERGING_COLOURS,
  SEQUENTIAL_COLOURS,
  useViewSettings,
  viewSettings
} from '../../labextension/src/views/kit/settings.ts';
import { root } from '../setup/repository.ts';

interface Item {
  readonly command?: string;
  readonly items?: readonly Item[];
}

interface Property {
  readonly default: unknown;
  readonly title: string;
  readonly enum?: readonly string[];
  readonly oneOf?: readonly { readonly const: string }[];
}

const schema = JSON.parse(readFileSync(join(root, 'labextension/schema/settings.json'), 'utf8')) as {
  readonly additionalProperties: boolean;
  readonly properties: Record<string, Property>;
  readonly 'jupyter.lab.menus': Record<string, readonly Item[]>;
  readonly 'jupyter.lab.shortcuts': readonly Item[];
};

test('the schema and the code have the same settings and defaults', () => {
  const defaults = Object.entries(schema.properties).map(([name, property]) => [name, property.default]);
  expect(Object.fromEntries(defaults)).toEqual(DEFAULT_SETTINGS);
  expect(schema.additionalProperties).toBe(false);
});

test('menus and shortcuts name existing commands', () => {
  const items = [
    ...Object.values(schema['jupyter.lab.menus']).flat(),
    ...schema['jupyter.lab.shortcuts']
  ].flatMap(item => item.items ?? [item]);
  const named = items.flatMap(({ command }) => command ?? []);
  expect(named.length).toBeGreaterThan(6);
  for (const command of named) expect(Object.values<string>(CommandIDs)).toContain(command);
});

test('choices of the schema are those of the code', () => {
  const { groupBy, divergingColours, sequentialColours } = schema.properties;
  expect(groupBy?.enum).toEqual(GROUPINGS);
  expect(divergingColours?.oneOf?.map(choice => choice.const)).toEqual(DIVERGING_COLOURS);
  expect(sequentialColours?.oneOf?.map(choice => choice.const)).toEqual(SEQUENTIAL_COLOURS);
});

test('missing and invalid settings have the default', () => {
  expect(readSettings({})).toEqual(DEFAULT_SETTINGS);
  expect(
    readSettings({ pollInterval: 'often', groupBy: 'colour', divergingColours: 'jet', more: 1 })
  ).toEqual(DEFAULT_SETTINGS);
  expect(readSettings({ pollInterval: 700, followActive: false })).toEqual({
    ...DEFAULT_SETTINGS,
    pollInterval: 700,
    followActive: false
  });
});

describe('the plugin', () => {
  const app = {} as JupyterFrontEnd;
  afterEach(() => useViewSettings(DEFAULT_VIEW_SETTINGS));

  test('passes the settings, and their changes, to plugins and views', async () => {
    const composite: Record<string, unknown> = { pageSize: 20 };
    const stored = { composite, changed: new Signal<object, void>({}) };
    const load = (id: string): Promise<unknown> => {
      expect(id).toBe('stridelab:settings');
      return Promise.resolve(stored);
    };
    const settings = await plugin.activate(app, { load });
    await settings.ready;
    expect([settings.values.pageSize, viewSettings().pageSize]).toEqual([20, 20]);
    let told = 0;
    settings.changed.connect(() => void (told += 1));
    stored.composite = { pageSize: 30 };
    stored.changed.emit();
    const { dataset } = document.documentElement;
    expect(dataset['stridelabSequential']).toBe('theme');
    stored.composite = { pageSize: 30, sequentialColours: 'blue' };
    stored.changed.emit();
    expect(dataset['stridelabSequential']).toBe('blue');
    expect([told, settings.values.pageSize, viewSettings().pageSize]).toEqual([2, 30, 30]);
  });

  test('a page without settings, and a server without the schema, have the defaults', async () => {
    const load = (): Promise<never> => Promise.reject(new Error('404'));
    for (const registry of [null, { load } as unknown as ISettingRegistry]) {
      const settings = await plugin.activate(app, registry);
      await settings.ready;
      expect(settings.values).toEqual(DEFAULT_SETTINGS);
    }
  });
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_SETTINGS, readSettings } from '../../labextension/src/settings.ts';
import { CommandIDs } from '../../labextension/src/sidebar/command-ids.ts';
import { root } from '../setup/repository.ts';

interface Item {
  readonly command?: string;
  readonly items?: readonly Item[];
}

const schema = JSON.parse(readFileSync(join(root, 'labextension/schema/settings.json'), 'utf8')) as {
  readonly additionalProperties: boolean;
  readonly properties: Record<string, { readonly default: unknown; readonly title: string }>;
  readonly 'jupyter.lab.menus': Record<string, readonly Item[]>;
  readonly 'jupyter.lab.shortcuts': readonly Item[];
};

test('the schema and the code have the same settings and defaults', () => {
  const defaults = Object.entries(schema.properties).map(([name, property]) => [name, property.default]);
  expect(Object.fromEntries(defaults)).toEqual(DEFAULT_SETTINGS);
  expect(schema.additionalProperties).toBe(false);
});

test('menus and shortcuts name commands that there are', () => {
  const items = [
    ...Object.values(schema['jupyter.lab.menus']).flat(),
    ...schema['jupyter.lab.shortcuts']
  ].flatMap(item => item.items ?? [item]);
  const named = items.flatMap(({ command }) => command ?? []);
  expect(named.length).toBeGreaterThan(6);
  for (const command of named) expect(Object.values<string>(CommandIDs)).toContain(command);
});

test('what is missing or no such setting is the default', () => {
  expect(readSettings({})).toEqual(DEFAULT_SETTINGS);
  expect(readSettings({ pollInterval: 'often', groupBy: 'colour', more: 1 })).toEqual(DEFAULT_SETTINGS);
  expect(readSettings({ pollInterval: 700, followActive: false })).toEqual({
    ...DEFAULT_SETTINGS,
    pollInterval: 700,
    followActive: false
  });
});

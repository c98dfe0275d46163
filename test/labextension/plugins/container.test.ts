/** The container by which JupyterLab loads the extension; the build's result is tested in ../bundles.test.ts and in browsers. */

import { get, init, packages, type ShareScope } from '../../../labextension/src/plugins/container.ts';

declare global {
  var STRIDELAB_PACKAGES: readonly string[];
}

/** Names of the releases that were loaded. */
const loaded: string[] = [];
const releases = (name: string, versions: readonly string[], used?: string): ShareScope[string] =>
  Object.fromEntries(
    versions.map(version => [
      version,
      {
        ...(version === used && { loaded: true }),
        get: () => {
          loaded.push(`${name} ${version}`);
          return Promise.resolve(() => ({ name, version }));
        }
      }
    ])
  );

beforeAll(() => {
  globalThis.STRIDELAB_PACKAGES = ['used', 'latest', 'late', 'missing'];
});

test('a module is loaded after the packages of the page: those in use, otherwise the latest', async () => {
  const scope: Record<string, ShareScope[string]> = {
    used: releases('used', ['1.2.0', '4.6.4', '4.7.0'], '1.2.0'),
    latest: releases('latest', ['4.9.0', '4.10.0', '4.2.1'])
  };
  init(scope);
  // Another extension shares a package between the two calls.
  scope['late'] = releases('late', ['6.0.12']);
  const [create] = await Promise.all([get('./mimeExtension'), get('./style')]);
  expect(create()).toHaveProperty('default.rendererFactory');
  expect(loaded).toEqual(['used 1.2.0', 'latest 4.10.0', 'late 6.0.12']);
  expect(scope['latest']).toMatchObject({ '4.10.0': { loaded: 1 } });
  expect(packages).toEqual([
    { name: 'used', version: '1.2.0' },
    { name: 'latest', version: '4.10.0' },
    { name: 'late', version: '6.0.12' }
  ]);
});

test('packages are loaded once', async () => {
  loaded.length = 0;
  await get('./index');
  expect(loaded).toEqual([]);
});

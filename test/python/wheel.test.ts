/** The companion package as a wheel, in an environment that contains nothing else. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { openShared } from '../../src/sharing/index.ts';
import { root, run } from '../setup/repository.ts';
import { PythonPeer } from '../gpu/python-peer.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

/** A Python that can build the wheel; none if the machine's test environment is older than this requirement. */
const builder = [join(root, '.venv/bin/python'), 'python3'].find(python => {
  try {
    execFileSync(python, ['-c', 'import hatchling, pip'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
});
const obstacle =
  builder === undefined
    ? 'no Python here has hatchling'
    : existsSync(join(root, 'dist/labextension/package.json'))
      ? undefined
      : 'the JupyterLab extension is not built';

(obstacle === undefined ? test : test.skip)(
  `a wheel is built, installed without a network, and shares${obstacle === undefined ? '' : ` (skipped: ${obstacle})`}`,
  async () => {
    const folder = temporaryFolder();
    const fresh = join(folder, 'fresh/bin/python');
    const steps: readonly (readonly string[])[] = [
      ['-m', 'hatchling', 'build', '-t', 'wheel', '-d', folder],
      ['-m', 'venv', '--without-pip', join(folder, 'fresh')]
    ];
    for (const step of steps) expect(await run(builder!, step)).toMatchObject({ status: 0 });
    const wheel = readdirSync(folder).find(name => name.endsWith('.whl'))!;
    const install = [
      '-m',
      'pip',
      '--python',
      fresh,
      'install',
      '-q',
      '--no-index',
      '--no-deps',
      join(folder, wheel)
    ];
    expect(await run(builder!, install)).toMatchObject({ status: 0 });
    const shared = join(folder, 'fresh/share/jupyter/labextensions/stridelab');
    for (const file of ['package.json', 'install.json', 'schemas/stridelab/settings.json'])
      expect(existsSync(join(shared, file))).toBe(true);
    const peer = await PythonPeer.start(fresh, { PYTHONPATH: '' });
    const [token, place] = await peer.run<[string, string]>(
      'lease = stridelab.share(b"abcd"); result = [str(lease), stridelab.__file__]'
    );
    expect(place).toContain(folder);
    {
      using opened = await openShared(token);
      expect(opened.toNested()).toEqual([97, 98, 99, 100]);
    }
    await peer.run('lease.release(); assert lease.drained(10)');
    expect(await peer.exit()).toBe(0);
  },
  60_000
);

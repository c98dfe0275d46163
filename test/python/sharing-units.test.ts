/** Runs the companion package's own tests under each installed Python. */

import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

import { root, run } from '../setup/repository.ts';

const versions = ['3.9.18', '3.10.13', '3.12.1', '3.13.0'].map(version => [
  version,
  join(homedir(), '.pyenv/versions', version, 'bin/python')
]);
const pythons = [['the tests’ own', join(root, '.venv/bin/python')], ...versions] as [string, string][];

describe.each(pythons)('sharing in Python: %s', (_name, python) => {
  const here = existsSync(python);
  (here ? test : test.skip)(`its units work${here ? '' : ` (skipped: no ${python} here)`}`, async () => {
    const { status, output } = await run(
      python,
      ['-B', '-W', 'error', '-m', 'unittest', 'discover', '-s', 'test/python/companion'],
      { PYTHONPATH: join(root, 'python') }
    );
    expect(output).toMatch(/Ran ([89]\d|\d{3}) tests[^]*OK/);
    expect(status).toBe(0);
  });
});

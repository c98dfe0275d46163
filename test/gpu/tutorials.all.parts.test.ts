/**
 * The complete tutorials, run by the compiled command. STRIDELAB_TUTORIALS_OUT names a folder for the executed notebooks with
 * the widgets' state: the repository stores those.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe } from 'node:test';
import { fileURLToPath } from 'node:url';

import { device } from './device.ts';
import { test } from './part.ts';

interface Notebook {
  readonly cells: readonly {
    readonly cell_type: string;
    readonly source: string | readonly string[];
    readonly outputs?: readonly {
      readonly output_type: string;
      readonly evalue?: string;
      readonly name?: string;
      readonly data?: Readonly<Record<string, unknown>>;
    }[];
  }[];
}

const path = (relative: string): string => fileURLToPath(new URL(`../../${relative}`, import.meta.url));
const names = readdirSync(path('notebooks')).filter(name => /^(0\d|11)-.*\.ipynb$/.test(name));

const kept = process.env['STRIDELAB_TUTORIALS_OUT'];
const target = kept ?? mkdtempSync(join(tmpdir(), 'stridelab-tutorials-'));
mkdirSync(target, { recursive: true });
after(() => {
  if (kept === undefined) rmSync(target, { recursive: true, force: true });
});

const DIAGNOSTICS = 'application/vnd.stridelab.diagnostics+json';
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  '02': ['cupy', 'numba'],
  '11': ['cupy', 'dask_cuda']
};

function whyNot(name: string): string | false {
  const needed = NEEDED[name.slice(0, 2)];
  if (needed === undefined) return false;
  const probe = `import ${needed.join(', ')}`;
  const { status } = spawnSync(process.env['STRIDELAB_PYTHON'] ?? 'python3', ['-c', probe], {
    stdio: 'ignore'
  });
  return status === 0 ? false : `this needs Python with ${needed.join(' and ')}`;
}

describe(`the tutorials on ${device.name}`, () => {
  for (const name of names)
    test(name, { skip: whyNot(name), timeout: 180_000 }, t => {
      const output = join(target, name);
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [path('dist/kernel/cli/main.js'), 'run', path(`notebooks/${name}`), '--output', output],
        { env: { ...process.env, STRIDELAB_DEVICE: device.label }, encoding: 'utf8' }
      );
      t.diagnostic(stdout.trimEnd());
      assert.equal(status, 0, `${stdout}\n${stderr}`);
      const { cells } = JSON.parse(readFileSync(output, 'utf8')) as Notebook;
      const outputs = cells.flatMap(cell => cell.outputs ?? []);
      assert.deepEqual(
        outputs.filter(({ output_type }) => output_type === 'error').map(({ evalue }) => evalue),
        []
      );
      // The stored notebook has no warnings and no diagnostics.
      assert.deepEqual(
        outputs.filter(({ name: stream, data }) => stream === 'stderr' || data?.[DIAGNOSTICS] !== undefined),
        []
      );
      // Exchanges and puzzles name no device.
      if (!device.simulated && !['02', '09'].some(number => name.startsWith(number)))
        assert.ok(JSON.stringify(outputs).includes(device.name), `${device.name} is shown nowhere`);
    });
});

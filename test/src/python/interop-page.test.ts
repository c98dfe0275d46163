/** docs/interop.md: how it is generated from results, and that a library's crash or hang loses no other library's results. */

import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { page, summary } from '../../../bench/interop/page.mjs';
import { adopters, libraries } from '../../../bench/interop/libraries.mjs';
import { examine } from '../../../bench/interop/run.mjs';
import { libraries as installed, obstacle, pythonOfTests } from './environment.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

type Run = Parameters<typeof page>[0][number];
type Report = Run['reports'][number];

const machine = {
  cpu: 'a processor',
  gpu: null,
  driver: null,
  node: 'v24',
  python: '3.11',
  date: '2026-01-02'
};
const run = (...reports: Report[]): Run => ({ where: 'host', machine, reports });

const results = join(import.meta.dirname, '../../../bench/results');
const stored = ['interop-cuda.json', 'interop-host.json'].map(name => join(results, name)).filter(existsSync);

describe('the page', () => {
  test('names the first protocol that copies nothing, and keeps the results of the others', () => {
    const text = page([
      run({
        library: 'Arrays',
        outcome: 'ran',
        version: '1.2',
        crossings: [
          { protocol: 'dlpack', direction: 'in', outcome: 'refused', why: 'too new | by far' },
          {
            protocol: 'buffer',
            direction: 'in',
            outcome: 'zero-copy',
            shared: 'both',
            readOnly: 'kept',
            microseconds: 0.612
          },
          {
            protocol: 'dlpack',
            direction: 'out',
            outcome: 'copy',
            shared: 'neither',
            readOnly: 'lost',
            microseconds: 12.34
          }
        ]
      })
    ]);
    expect(text).toContain('| Arrays | 1.2 | buffer | 0.61 |  | kept | dlpack, copied | 12.3 |  | lost |');
    expect(text).toContain('* dlpack to TypeScript, any array: too new \\| by far');
    expect(text).toContain('It has no exchange-table, no cuda-array-interface, no array-interface.');
    expect(text).toContain('| buffer | to TypeScript | zero-copy |');
  });

  test('gives the reason why a library did not run', () => {
    const text = page([
      run({ library: 'Gone', outcome: 'absent', why: "No module named 'gone'", crossings: [] })
    ]);
    expect(text).toContain("Gone was not run: No module named 'gone'.");
  });

  test('has a row for each adopter, run or with a reason', () => {
    const reports: Report[] = [{ library: 'Numba', outcome: 'ran', version: '9', crossings: [] }];
    const text = page([run(...reports)]);
    for (const { name, row, reason } of adopters) {
      const line = text.split('\n').findLast(candidate => candidate.startsWith(`| ${name} | `));
      expect(line).toContain(row === 'Numba' ? 'on the host, 9' : 'not run');
      if (row === null) expect(reason).toMatch(/\w/);
    }
    const known = [...libraries.host, ...libraries.cuda].map(({ name }) => name);
    for (const { row } of adopters) if (row !== null) expect(known).toContain(row);
  });

  test('lists the defects', () => {
    const text = page([]);
    for (let number = 1; number <= 17; number++) expect(text).toMatch(new RegExp(`^\\| ${number} \\| `, 'm'));
  });

  const withResults = stored.length > 0 ? test : test.skip;
  withResults('in docs is that of the stored results', () => {
    const runs = stored.map(file => JSON.parse(readFileSync(file, 'utf8')) as Run);
    expect(readFileSync(join(import.meta.dirname, '../../../docs/interop.md'), 'utf8')).toBe(page(runs));
  });
});

test.each([
  [{}, ''],
  [{ a: 'same', b: 'same' }, 'all 2'],
  [{ a: 'same', b: 'same', c: 'ValueError: no' }, '2 of 3; refused: c'],
  [{ a: 'copied', b: 'other values: [1]', c: 'as uint8' }, 'copied: a; other values: b; as uint8: c'],
  [{ a: 'same', b: 'TypeError: x', c: 'ValueError: y' }, 'a; refused: b, c']
])('%j in a cell is %p', (outcomes, text) => {
  expect(summary(outcomes as unknown as Record<string, string>)).toBe(text);
});

(obstacle === null ? describe : describe.skip)('a library in a separate process', () => {
  const folder = temporaryFolder();
  const before = process.env['STRIDELAB_PYTHON'];
  beforeAll(() => {
    process.env['STRIDELAB_PYTHON'] = pythonOfTests;
  });
  afterAll(() => {
    if (before === undefined) delete process.env['STRIDELAB_PYTHON'];
    else process.env['STRIDELAB_PYTHON'] = before;
  });

  /** The results for a library whose `make` runs these lines. */
  const look = (module: string, make: string, timeout?: number): Report => {
    const lines = ['import os, time', make].join('\n        ');
    const source = `from common import Library\n\n\nclass L(Library):\n    version = "1"\n\n    def make(self):\n        ${lines}\n\n\nlibrary = L()\n`;
    writeFileSync(join(folder, `${module}.py`), source);
    return examine({ name: module, module, needs: '', folder }, 'host', timeout);
  };

  test('that crashes is reported with the crossing in which it crashed, and the others still run', () => {
    const { outcome, crossings } = look('crashes', 'os.abort()');
    expect(outcome).toBe('ran');
    expect(crossings.map(({ outcome }) => outcome)).toEqual(
      Array.from({ length: 10 }, (_, index) => (index % 2 === 0 ? 'crashed' : 'absent'))
    );
    expect(crossings[0]?.why).toMatch(/^the process was ended by SIGABRT/);
  }, 60_000);

  const withNumpy = installed.has('numpy') ? test : test.skip;
  withNumpy(
    'that crashes for one layout loses that layout',
    () => {
      writeFileSync(
        join(folder, 'partly.py'),
        `import os
import numpy
from common import Library

class Fatal:
    @property
    def __array_interface__(self):
        os.abort()

class L(Library):
    def make(self, dtype="float32", shape=(2, 3)):
        return numpy.zeros(shape, dtype=dtype)
    def views(self):
        return {"plain": self.make(), "fatal": Fatal(), "empty": self.make(shape=(0,))}
    def address(self, array):
        return array.__array_interface__["data"][0]

library = L()
`
      );
      const { crossings } = examine({ name: 'partly', module: 'partly', needs: '', folder }, 'host');
      const found = crossings.find(
        ({ protocol, direction }) => protocol === 'array-interface' && direction === 'in'
      );
      expect(found).toMatchObject({
        outcome: 'zero-copy',
        layouts: { plain: 'same', fatal: expect.stringContaining('SIGABRT') as string, empty: 'same' },
        dtypes: { float64: 'same' }
      });
    },
    60_000
  );

  test('that is not installed is absent, with Python’s message', () => {
    writeFileSync(join(folder, 'absent.py'), 'import no_such_library\n');
    const report = examine({ name: 'absent', module: 'absent', needs: '', folder }, 'host');
    expect(report).toMatchObject({
      outcome: 'absent',
      why: "No module named 'no_such_library'",
      crossings: []
    });
  });

  test('that hangs is killed', () => {
    writeFileSync(join(folder, 'hangs.py'), 'import time\ntime.sleep(600)\n');
    const report = examine({ name: 'hangs', module: 'hangs', needs: '', folder }, 'host', 1500);
    expect(report).toMatchObject({
      outcome: 'failed',
      why: expect.stringMatching(/^the process was ended by SIGKILL/) as string
    });
  });

  test('that raises is refused with its message', () => {
    const { crossings } = look('raises', 'raise ValueError("no arrays today")');
    expect(crossings[0]).toMatchObject({ outcome: 'refused', why: 'ValueError: no arrays today' });
  });
});

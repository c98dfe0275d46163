import { jest } from '@jest/globals';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KernelClient } from './client.ts';
import { fails, startKernel, value } from './several-kernels.ts';
import { FakeRegistry, type FakePackage } from './fake-registry.ts';

// npm starts many times, and the machine may be busy.
jest.setTimeout(240_000);

const module = (
  name: string,
  version: string,
  code: string,
  more: Record<string, unknown> = {}
): FakePackage => ({
  name,
  version,
  manifest: { type: 'module', exports: './index.js', ...more },
  files: { 'index.js': code, 'index.d.ts': 'export {};' }
});

const PACKAGES: readonly FakePackage[] = [
  module('counter', '1.0.0', "export const version = '1.0.0'; export const box = { count: 0 };"),
  module('counter', '1.1.0', "export const version = '1.1.0'; export const box = { count: 0 };"),
  module('counter', '2.0.0', "export const version = '2.0.0'; export const box = { count: 0 };"),
  module(
    'adds',
    '1.0.0',
    "import { box, version } from 'counter'; export const add = () => ++box.count; export const sees = version;",
    {
      peerDependencies: { counter: '^1' }
    }
  ),
  module('@some/scoped', '3.0.0', 'export default 3;'),
  {
    name: 'old',
    version: '1.0.0',
    files: {
      'index.js': "module.exports = { kind: 'old' };",
      'sub.js': "exports.deep = 'sub';",
      'index.d.ts': 'export {};'
    }
  },
  module('@jsr/std__tools', '0.5.0', "export const tool = 'hammer';"),
  module('needs-missing', '1.0.0', 'export {};', { dependencies: { 'not-there': '1' } }),
  module('slow', '1.0.0', 'export default 1;')
];

let registry: FakeRegistry;

beforeEach(async () => {
  registry = await FakeRegistry.start(PACKAGES);
});
afterEach(() => {
  registry.close();
});

const start = (folder?: string, environment: Record<string, string> = {}): Promise<KernelClient> =>
  startKernel({ ...registry.environment(), ...environment }, folder);

describe('what can be imported', () => {
  test('packages with and without ranges, paths and scopes, in every way; the folder stays as it is', async () => {
    const kernel = await start();
    writeFileSync(
      join(kernel.folder, 'util.ts'),
      "import scoped from 'npm:@some/scoped@^3'; export const three: number = scoped;"
    );
    const { stdout, stderr, result, reply } = await kernel.execute(
      `import { version } from 'npm:counter'; import { three } from './util';
      import old from 'npm:old@1'; import { deep } from 'npm:old@1/sub'; import { tool } from 'jsr:@std/tools@0.5';
      const name = 'npm:coun' + 'ter@~2.0';
      [version, three, old.kind, deep, tool, (await import(name)).version, require('npm:old').kind, import.meta.resolve('npm:old').slice(-8)].join()`
    );
    expect(reply).toMatchObject({ status: 'ok' });
    expect(result).toBe("'2.0.0,3,old,sub,hammer,2.0.0,old,index.js'");
    // Lines that follow each other quickly are not shown.
    expect(stdout).toMatch(/installing .*npm:old@1/);
    expect(stderr).toBe('');
    expect(readdirSync(kernel.folder).sort()).toEqual(['connection.json', 'util.ts']);
    const asked = registry.requests.length;
    expect(await value(kernel, "(await import('npm:counter@2')).version")).toBe("'2.0.0'");
    expect(registry.requests).toHaveLength(asked);
  });

  test('two versions of a package side by side, and one instance of a peer', async () => {
    const kernel = await start();
    expect(
      await value(
        kernel,
        `import { add, sees } from 'npm:adds'; import * as one from 'npm:counter@1'; import * as exact from 'npm:counter@1.0.0';
        import * as two from 'npm:counter@2';
        add(); [one.version, one.box.count, sees, exact.version, exact.box.count, two.version].join()`
      )
    ).toBe("'1.1.0,1,1.1.0,1.0.0,0,2.0.0'");
    expect(await value(kernel, "import * as any from 'npm:counter'; any.box === one.box")).toBe('true');
  });

  test('a package whose peer contradicts what is there goes beside it', async () => {
    const peerFirst = await start();
    await value(peerFirst, "import { add, sees } from 'npm:adds'; add()");
    expect(
      await value(
        peerFirst,
        "import * as two from 'npm:counter@2'; import * as one from 'npm:counter@1'; [two.version, one.box.count].join()"
      )
    ).toBe("'2.0.0,1'");
    const kernel = await start();
    await value(kernel, "import { version } from 'npm:counter@2'");
    expect(await value(kernel, "import { sees } from 'npm:adds'; [version, sees].join()")).toBe(
      "'2.0.0,1.1.0'"
    );
  });

  test('require of a literal, which only a cell that needs it reports if it fails', async () => {
    const kernel = await start();
    expect(await value(kernel, "if (Date.now() < 0) require('npm:not-there'); require('npm:old').kind")).toBe(
      "'old'"
    );
    expect(await fails(kernel, "\nrequire('npm:not-there')")).toMatch(
      /no package not-there[^]*Cell \[\d\]:2:1/
    );
  });
});

describe('what cannot be imported', () => {
  test('is told with its place and what to do, and no name of the cell is declared', async () => {
    const kernel = await start();
    const missing = await fails(kernel, "1;\nimport { structuredClone } from 'npm:not-there@1';");
    expect(missing).toMatch(
      /^ImportError: The registry has no package not-there: check the name\n.*Cell \[1\]:2:33/
    );
    expect(await value(kernel, 'typeof structuredClone')).toBe("'function'");
    expect(await fails(kernel, "import 'npm:counter@^9'")).toMatch(
      /no version \^9 of counter: `%npm view counter/
    );
    expect(await fails(kernel, "import 'npm:needs-missing'")).toMatch(
      /no package not-there, which npm:needs-missing needs/
    );
    expect(await fails(kernel, "import 'npm:../x'")).toMatch(/names no package: expected npm:name/);
    expect(await fails(kernel, "import 'jsr:std'")).toMatch(/expected jsr:@scope\/name/);
    expect(await value(kernel, "await import('npm:not-there').catch(error => error.message)")).toMatch(
      /no package not-there/
    );
    expect(await fails(kernel, "import 'not-there/x'")).toMatch(
      /Import it as 'npm:not-there', or .*%npm install not-there\n/
    );
    // What failed leaves nothing behind.
    expect(await value(kernel, "import { version } from 'npm:counter@1'; version")).toBe("'1.1.0'");
  });

  test('without npm, says where npm is from', async () => {
    const kernel = await start(undefined, { PATH: '/nowhere' });
    expect(await fails(kernel, "import 'npm:counter'")).toMatch(
      /installed by npm, but .*not found.*https:\/\/nodejs.org/
    );
  });
});

describe('without the network', () => {
  test('imports what is in the cache without npm, and what npm has for another folder', async () => {
    const first = await start();
    await value(first, "import 'npm:counter@1'; import 'npm:old/sub'");
    registry.disconnect();
    const again = await start(first.folder, { PATH: '/nowhere' });
    expect(
      await value(
        again,
        "import { version } from 'npm:counter@1'; import { deep } from 'npm:old/sub'; version + deep"
      )
    ).toBe("'1.1.0sub'");
    const other = await start();
    expect(await value(other, "import { version } from 'npm:counter@1'; version")).toBe("'1.1.0'");
    expect(await fails(other, "import 'npm:slow'")).toMatch(
      /npm:slow cannot be installed: the registry cannot be reached \(ECONNREFUSED\)/
    );
  });
});

describe('several at once, and interrupted', () => {
  test('two kernels of a folder install at the same time', async () => {
    const first = await start();
    const second = await start(first.folder);
    const results = await Promise.all([
      value(first, "import * as a from 'npm:counter@1'; import 'npm:adds'; a.version"),
      value(
        second,
        "import * as a from 'npm:counter@1'; import * as b from 'npm:counter@2'; import old from 'npm:old'; [a.version, b.version, old.kind].join()"
      )
    ]);
    expect(results).toEqual(["'1.1.0'", "'1.1.0,2.0.0,old'"]);
    expect(
      await value(first, "import * as b from 'npm:counter@2'; import o from 'npm:old'; b.version + o.kind")
    ).toBe("'2.0.0old'");
  });

  test('an interrupt ends npm and the cell, takes nothing away, and the next try works', async () => {
    const kernel = await start();
    await value(kernel, "import { box } from 'npm:counter@1'; box.count = 5");
    const requested = registry.hold('slow');
    const id = kernel.startExecution("import slow from 'npm:slow'; slow");
    await requested;
    await kernel.published(
      ({ type, content }) => type === 'stream' && String(content['text']).includes('fetching … 1 slow')
    );
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply).toMatchObject({ status: 'error', ename: 'Interrupted' });
    const other = await start(kernel.folder, { npm_config_registry: 'http://127.0.0.1:1' });
    expect(await value(other, "import { version } from 'npm:counter@1'; version")).toBe("'1.1.0'");
    registry.release();
    expect(
      await value(kernel, "import slow from 'npm:slow'; import { add } from 'npm:adds'; [slow, add()].join()")
    ).toBe("'1,6'");
  });

  test('after a kill in the middle, the half-written package is installed again', async () => {
    const kernel = await start();
    await value(kernel, "import { version } from 'npm:counter@1'");
    const requested = registry.hold('slow');
    kernel.startExecution("import slow from 'npm:slow'");
    await requested;
    await kernel.close();
    registry.release();
    const next = await start();
    // What npm may have written when it was killed, in the project of the next kernel's folder.
    await value(next, "import { version } from 'npm:counter@1'");
    const [root] = (await value(next, "import.meta.resolve('npm:counter@1')"))!
      .slice(8)
      .split('/node_modules/');
    expect(existsSync(root!)).toBe(true);
    writeFileSync(join(root!, 'unfinished'), '');
    const half = join(root!, 'node_modules/slow');
    rmSync(half, { recursive: true, force: true });
    await value(
      next,
      `fs = require('node:fs'); fs.mkdirSync(${JSON.stringify(half)}); fs.writeFileSync(${JSON.stringify(join(half, 'package.json'))}, '{"name":"slow","version":"1.0.0"}')`.replace(
        'fs =',
        'var fs ='
      )
    );
    expect(await value(next, "import slow from 'npm:slow'; slow")).toBe('1');
  });
});

describe('%imports', () => {
  test('lists, locks for other machines, and clears', async () => {
    const kernel = await start();
    expect((await kernel.execute('%imports')).stdout).toBe('No remote imports\n');
    await value(kernel, "import { version } from 'npm:counter@1.0.0'; import 'npm:old'");
    expect((await kernel.execute('%imports')).stdout).toMatch(
      /npm:old@1.0.0 {2}\/.*\nnpm:counter@1.0.0 {2}\/|npm:counter@1.0.0 {2}\/.*\nnpm:old@1.0.0 {2}\//
    );
    expect((await kernel.execute('%imports lock')).stdout).toBe('Wrote stridelab.lock.json\n');
    const lock = (): string => readFileSync(join(kernel.folder, 'stridelab.lock.json'), 'utf8');
    expect(JSON.parse(lock())).toMatchObject({
      version: 1,
      npm: [{ packages: { 'node_modules/old': { version: '1.0.0' } } }]
    });
    await value(kernel, "import * as two from 'npm:counter@2'");
    expect(lock()).toContain('"version": "2.0.0"');
    expect(lock()).not.toContain('@types');

    registry.publish(module('counter', '2.1.0', "export const version = '2.1.0';"));
    registry.publish({
      name: 'old',
      version: '1.1.0',
      files: { 'index.js': "module.exports = { kind: 'newer' };" }
    });
    const elsewhere = await start();
    writeFileSync(join(elsewhere.folder, 'stridelab.lock.json'), lock());
    expect(
      await value(
        elsewhere,
        "import { version } from 'npm:counter@2'; import { kind } from 'npm:old'; version + kind"
      )
    ).toBe("'2.0.0old'");
    expect(readFileSync(join(elsewhere.folder, 'stridelab.lock.json'), 'utf8')).toBe(lock());

    const unlocked = await start();
    expect(
      await value(
        unlocked,
        "import { version } from 'npm:counter@2'; import { kind } from 'npm:old'; version + kind"
      )
    ).toBe("'2.1.0newer'");
    writeFileSync(join(unlocked.folder, 'stridelab.lock.json'), lock());
    const restarted = await start(unlocked.folder);
    expect(
      await value(
        restarted,
        "import { version } from 'npm:counter@2'; import { kind } from 'npm:old'; version + kind"
      )
    ).toBe("'2.0.0old'");

    await value(restarted, '%imports clear');
    expect((await restarted.execute('%imports')).stdout).toBe('No remote imports\n');
    writeFileSync(join(unlocked.folder, 'stridelab.lock.json'), 'half');
    expect(await fails(restarted, "import 'npm:slow'")).toMatch(
      /stridelab.lock.json is not a lockfile of version 1: restore it/
    );
    expect(await fails(restarted, '%imports lok')).toMatch(/expected lock, clear or nothing, not "lok"/);
  });
});

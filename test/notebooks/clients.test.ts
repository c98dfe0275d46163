/** Clients that run kernels without a browser: nbclient, nbconvert, papermill, `jupyter run` and `jupyter console`. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { privateEnvironment } from '../../scripts/lab/options.mjs';
import { registerCheckout } from '../../scripts/lab/registration.mjs';
import { root, run } from '../setup/repository.ts';

const python = join(root, '.venv', 'bin', 'python');
const helpers = join(root, 'test', 'notebooks', 'clients');
const DEADLINE_MS = 120_000;

let folder: string;
beforeAll(async () => {
  await registerCheckout();
  folder = mkdtempSync(join(tmpdir(), 'stridelab-clients-'));
}, DEADLINE_MS);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface NotebookCell {
  readonly cell_type: string;
  readonly source: string | string[];
  readonly metadata: { readonly tags?: readonly string[] };
  readonly outputs: readonly Record<string, unknown>[];
}

function client(args: readonly string[], more: NodeJS.ProcessEnv = {}): ReturnType<typeof run> {
  return run(python, args, { ...privateEnvironment(''), ...more });
}

/** Cells as [tags, source]. */
function notebook(name: string, cells: readonly (readonly [string[], string])[]): string {
  const file = join(folder, name);
  const kernelspec = { name: 'stridelab', display_name: 'TypeScript (Stridelab)', language: 'typescript' };
  writeFileSync(
    file,
    JSON.stringify({
      cells: cells.map(([tags, source], i) => ({
        cell_type: 'code',
        id: `c${i}`,
        metadata: { tags },
        execution_count: null,
        outputs: [],
        source
      })),
      metadata: { kernelspec },
      nbformat: 4,
      nbformat_minor: 5
    })
  );
  return file;
}

test(
  'nbclient runs cells, stops at an error and at a timeout',
  async () => {
    const file = notebook('book.ipynb', [
      [[], 'console.log("one"); console.error("two");'],
      [[], 'throw new RangeError("three")'],
      [[], '2 + 2']
    ]);
    const { status, output, stdout } = await client([join(helpers, 'run_nbclient.py'), file]);
    expect({ status, output }).toMatchObject({ status: 0 });
    // Kernels that are killed at their time-out, or in the middle of a type check, exit without reporting a crash.
    expect(output).not.toMatch(/^Node\.js v/m);
    const seen = JSON.parse(stdout) as {
      cells: NotebookCell[];
      metadata: Record<string, Record<string, unknown>>;
      refused: unknown;
      timed_out: boolean;
    };
    expect(seen.cells.map(({ outputs }) => outputs.map(({ output_type }) => output_type))).toEqual([
      ['stream', 'stream'],
      ['error'],
      ['execute_result']
    ]);
    expect(seen.refused).toEqual(['RangeError', 'three']);
    expect(seen.timed_out).toBe(true);
    expect(seen.metadata['language_info']).toMatchObject({
      name: 'typescript',
      file_extension: '.ts',
      mimetype: 'text/typescript',
      pygments_lexer: 'typescript',
      nbconvert_exporter: 'script'
    });
  },
  DEADLINE_MS
);

test(
  'nbconvert executes, highlights TypeScript, and exports a script with the extension .ts',
  async () => {
    const file = notebook('page.ipynb', [[[], 'const answer: number = 6 * 7;\nanswer']]);
    const nbconvert = (...args: string[]): ReturnType<typeof run> =>
      client(['-m', 'nbconvert', '--to', ...args]);
    expect(await nbconvert('notebook', '--execute', '--output', 'executed', file)).toMatchObject({
      status: 0
    });
    // Exporters read the language before they execute, so it comes from the executed notebook.
    const executed = join(folder, 'executed.ipynb');
    for (const format of ['html', 'script'])
      expect(await nbconvert(format, executed)).toMatchObject({ status: 0 });
    const page = readFileSync(join(folder, 'executed.html'), 'utf8');
    expect(page.includes('highlight hl-typescript')).toBe(true);
    expect(/<span class="kd">const<\/span>/.test(page)).toBe(true);
    expect(/ansi-yellow-fg">42</.test(page)).toBe(true);
    expect(readFileSync(join(folder, 'executed.ts'), 'utf8')).toContain('const answer: number = 6 * 7;');
  },
  DEADLINE_MS
);

test(
  'jupyter run runs a file',
  async () => {
    const file = join(folder, 'hello.ts');
    writeFileSync(file, 'const name: string = "run";\nconsole.log(`hello from ${name}`);\n');
    const { output } = await client(['-m', 'jupyter_client.runapp', '--kernel=stridelab', file]);
    expect(output).toContain('hello from run');
  },
  DEADLINE_MS
);

describe('papermill', () => {
  /** The companion as pip installs it: its code, and the entry points that pyproject.toml declares. */
  function installed(): NodeJS.ProcessEnv {
    const site = join(folder, 'site');
    const info = join(site, 'stridelab-0.0.0.dist-info');
    mkdirSync(info, { recursive: true });
    const project = readFileSync(join(root, 'pyproject.toml'), 'utf8');
    const declared = /\[project\.entry-points\."papermill\.engine"\]\n(\w+) = "([^"]+)"/.exec(project);
    writeFileSync(join(info, 'METADATA'), 'Metadata-Version: 2.1\nName: stridelab\nVersion: 0.0.0\n');
    writeFileSync(join(info, 'entry_points.txt'), `[papermill.engine]\n${declared![1]} = ${declared![2]}\n`);
    return { PYTHONPATH: [join(root, 'python'), site].join(':'), PYTHONDONTWRITEBYTECODE: '1' };
  }
  const papermill = (...args: string[]): ReturnType<typeof run> =>
    client(['-m', 'papermill', '--no-progress-bar', ...args], installed());
  const book = (): string =>
    notebook('in.ipynb', [
      [['parameters'], 'const x: number = 1; // how many\nlet name = "nobody";'],
      [[], 'console.log(JSON.stringify([x, name, typeof big, deep]))']
    ]);
  const parameters = {
    name: 'a "quoted" \\ line\n☃',
    big: 12345678901234567890n,
    deep: '{a: [1, 2.5, null, true], "b-c": {__proto__: 1}}'
  };

  test('injects parameters of every kind after the cell tagged "parameters"', async () => {
    const target = join(folder, 'out.ipynb');
    const yaml = `{x: 5, name: ${JSON.stringify(parameters.name)}, big: ${parameters.big}, deep: ${parameters.deep}}`;
    const { status, output } = await papermill(book(), target, '-y', yaml);
    expect({ status, output }).toMatchObject({ status: 0 });
    const { cells } = JSON.parse(readFileSync(target, 'utf8')) as { cells: NotebookCell[] };
    const injected = cells.find(({ metadata }) => metadata.tags?.includes('injected-parameters'));
    expect(cells.indexOf(injected!)).toBe(1);
    const source = [injected!.source].flat().join('');
    expect(source).toContain('// Parameters\nconst x = 5;\n');
    expect(source).toContain('["__proto__"]: 1');
    const text = [cells[2]!.outputs.find(({ name }) => name === 'stdout')?.['text']].flat().join('');
    expect(JSON.parse(text)).toEqual([
      5,
      parameters.name,
      'bigint',
      JSON.parse('{"a": [1, 2.5, null, true], "b-c": {"__proto__": 1}}')
    ]);
  }, 120_000);

  test('lists the declarations of the parameters cell, and refuses a name that is not a TypeScript name', async () => {
    const help = await papermill('--help-notebook', book());
    expect(help.output).toMatch(/x: number \(default 1\)\s+how many/);
    expect(help.output).toMatch(/name: Unknown type \(default "nobody"\)/);
    const target = join(folder, 'refused.ipynb');
    const refused = await papermill(book(), target, '-p', 'my-name', '1');
    expect(refused.status).not.toBe(0);
    expect(refused.output).toContain('The parameter "my-name" is not a TypeScript name: rename it.');
    expect(existsSync(target)).toBe(false);
  }, 120_000);
});

test(
  'jupyter console: results, several lines, completion, Ctrl-C without loss of state, and history work',
  async () => {
    const { status, output, stdout } = await client([join(helpers, 'console_session.py')]);
    // The console's output, if it failed.
    expect(status === 0 ? '' : output).toBe('');
    const seen = JSON.parse(stdout) as Record<string, unknown>;
    const shown: Record<string, string> = {
      banner: 'TypeScript',
      result: '42',
      continuation: '...:',
      completed: '43',
      interrupted: 'Interrupted',
      history: 'twice',
      kept: '7'
    };
    for (const [step, text] of Object.entries(shown)) expect(seen[step]).toContain(text);
    expect(seen['status']).toBe(0);
  },
  DEADLINE_MS
);

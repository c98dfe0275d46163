import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';

const python = join(root, '.venv', 'bin', 'python');

function companion(...args: string[]): ReturnType<typeof run> {
  return run(python, ['-B', '-m', 'stridelab', ...args], { PYTHONPATH: join(root, 'python') });
}

describe('python -m stridelab', () => {
  let folder: string;
  let kernel: string;
  let extension: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'stridelab-companion-'));
    kernel = join(folder, 'main.js');
    extension = join(folder, 'extension');
    mkdirSync(extension);
    writeFileSync(kernel, '');
    writeFileSync(join(extension, 'package.json'), '{}');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const install = (...args: string[]): ReturnType<typeof run> =>
    companion('install', '--prefix', folder, '--kernel', kernel, '--labextension', extension, ...args);

  test('has the version of package.json', async () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect((await companion('--version')).output.trim()).toBe(version);
  });

  test('writes the kernelspec with its logos, links the extension, and can be repeated', async () => {
    for (const _ of ['first', 'second'])
      expect(await install('--node', process.execPath)).toMatchObject({ status: 0 });
    const data = join(folder, 'share', 'jupyter');
    const spec = JSON.parse(
      readFileSync(join(data, 'kernels', 'stridelab', 'kernel.json'), 'utf8')
    ) as unknown;
    expect(spec).toEqual({
      argv: [process.execPath, kernel, '{connection_file}'],
      display_name: 'TypeScript (Stridelab)',
      language: 'typescript',
      interrupt_mode: 'message',
      metadata: { debugger: false }
    });
    for (const logo of ['logo-svg.svg', 'logo-32x32.png', 'logo-64x64.png'])
      expect(lstatSync(join(data, 'kernels', 'stridelab', logo)).size).toBeGreaterThan(100);
    expect(lstatSync(join(data, 'labextensions', 'stridelab')).isSymbolicLink()).toBe(true);
  });

  test('Jupyter finds the kernel there', async () => {
    await install('--node', process.execPath);
    const environment = { JUPYTER_PATH: join(folder, 'share', 'jupyter'), JUPYTER_CONFIG_DIR: folder };
    const kernels = await run(python, ['-m', 'jupyter_client.kernelspecapp', 'list', '--json'], environment);
    expect(kernels.output).toContain(join(folder, 'share', 'jupyter', 'kernels', 'stridelab'));
  }, 30_000);

  test.each([
    [
      'a missing kernel',
      ['--kernel', '/nowhere/main.js'],
      '/nowhere/main.js does not exist: build it with npm run build'
    ],
    ['a missing Node', ['--node', '/nowhere/node'], '/nowhere/node was not found: install Node 24'],
    [
      'a folder without an extension',
      ['--labextension', '/nowhere'],
      '/nowhere is no built extension: build it'
    ]
  ])('%s is one sentence and status 1', async (_, args, sentence) => {
    const { status, output } = await install(...args);
    expect(status).toBe(1);
    expect(output).toContain(sentence);
    expect(output.trim().split('\n')).toHaveLength(1);
  });

  test('refuses a Node that is too old', async () => {
    const old = join(folder, 'node');
    writeFileSync(old, '#!/bin/sh\necho v20.19.0\n');
    chmodSync(old, 0o755);
    const { status, output } = await install('--node', old);
    expect({ status, output: output.trim() }).toEqual({
      status: 1,
      output: `${old} is v20.19.0: the kernel needs Node 24 or newer, name it with --node.`
    });
  });
});

/** The interpreters that are considered, and their order. */

import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import { pythonCandidates } from '../../../src/python/interpreter/candidates.ts';
import { pythonOfTests } from './environment.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const VARIABLES = ['STRIDELAB_PYTHON', 'VIRTUAL_ENV', 'CONDA_PREFIX', 'JPY_PARENT_PID', 'PATH'];
const before = new Map(VARIABLES.map(name => [name, process.env[name]]));
const start = process.cwd();
let folder: string;

beforeEach(() => {
  folder = realpathSync(temporaryFolder());
  for (const name of VARIABLES) delete process.env[name];
  process.chdir(folder);
});

afterEach(() => {
  process.chdir(start);
  for (const [name, value] of before)
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
});

/** An interpreter in the `bin` of a folder. */
function environment(name: string): string {
  const python = join(folder, name, 'bin', 'python');
  mkdirSync(join(folder, name, 'bin'), { recursive: true });
  symlinkSync(pythonOfTests, python);
  return python;
}

test('without any Python nothing is found', () => {
  expect(pythonCandidates()).toEqual([]);
});

test('STRIDELAB_PYTHON is the only candidate', () => {
  environment('.venv');
  process.env['STRIDELAB_PYTHON'] = '/somewhere/python';
  expect(pythonCandidates()).toEqual(['/somewhere/python']);
});

test('an active environment that was deleted is listed, so that the error can name it', () => {
  process.env['VIRTUAL_ENV'] = join(folder, 'gone');
  expect(pythonCandidates()).toEqual([join(folder, 'gone/bin/python')]);
});

test('a .venv above the working folder comes before the search path, the nearest first', () => {
  const outer = environment('.venv');
  process.env['PATH'] = join(folder, 'path/bin');
  const onPath = environment('path');
  mkdirSync(join(folder, 'a/b'), { recursive: true });
  process.chdir(join(folder, 'a/b'));
  expect(pythonCandidates()).toEqual([outer, onPath]);
  const inner = environment('a/.venv');
  expect(pythonCandidates()).toEqual([inner, onPath]);
});

const asRoot = process.getuid?.() === 0 ? test : test.skip;
asRoot('a .venv of another user is passed over', () => {
  environment('.venv');
  chownSync(join(folder, '.venv'), 1234, 1234);
  expect(pythonCandidates()).toEqual([]);
});

test('a deleted working folder stops nothing', () => {
  rmSync(folder, { recursive: true });
  expect(pythonCandidates()).toEqual([]);
});

test('the Python of the server that started the kernel comes before the search path', async () => {
  const server = environment('jupyter');
  const child = spawn(server, ['-c', 'print("up", flush=True); input()'], {
    stdio: ['pipe', 'pipe', 'inherit']
  });
  try {
    await new Promise(resolve => child.stdout.once('data', resolve));
    process.env['JPY_PARENT_PID'] = String(child.pid);
    process.env['PATH'] = join(folder, 'path/bin');
    const onPath = environment('path');
    expect(pythonCandidates()).toEqual([server, onPath]);
  } finally {
    child.stdin.end('\n');
    await new Promise(resolve => child.once('close', resolve));
  }
});

test.each(['', 'x', '0', '1 2', String(2 ** 40)])('a parent called "%s" is not a candidate', parent => {
  process.env['JPY_PARENT_PID'] = parent;
  expect(pythonCandidates()).toEqual([]);
});

test('a parent that is not Python is not run', () => {
  process.env['JPY_PARENT_PID'] = String(process.pid);
  expect(pythonCandidates()).toEqual([]);
});

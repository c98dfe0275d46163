/** The search for libraries, in a made-up tree of folders. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

import {
  candidates,
  includeFolders,
  nvidiaWheels,
  NVRTC,
  placesSearched,
  toolkits
} from '../../../src/core/search.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

let tree: string;
const before = { ...process.env };

beforeEach(() => {
  tree = temporaryFolder();
  const rest = { ...before };
  for (const name of ['VIRTUAL_ENV', 'CONDA_PREFIX', 'CUDA_HOME', 'CUDA_PATH', NVRTC.variable])
    delete rest[name];
  process.env = { ...rest, PATH: '' };
});
afterEach(() => {
  process.env = { ...before };
});

function put(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(dirname(join(tree, path)), { recursive: true });
    writeFileSync(join(tree, path), '');
  }
}

/** The contents of the tree, by path in it; the machine's real folders are ignored. */
const inTree = (paths: readonly string[]): string[] =>
  paths.filter(path => path.startsWith(tree)).map(path => relative(tree, path));

const WHEEL = 'lib/python3.12/site-packages/nvidia/cuda_nvrtc/lib';

test('a variable names the only file to try', () => {
  put(`venv/${WHEEL}/libnvrtc.so.12`);
  process.env['VIRTUAL_ENV'] = join(tree, 'venv');
  process.env[NVRTC.variable] = '/somewhere/libnvrtc.so';
  expect(candidates(NVRTC)).toEqual(['/somewhere/libnvrtc.so']);
  expect(placesSearched(NVRTC)).toBe('STRIDELAB_LIBNVRTC names the only file that is tried.');
  process.env[NVRTC.variable] = '';
  expect(inTree(candidates(NVRTC))).toEqual([`venv/${WHEEL}/libnvrtc.so.12`]);
});

test('the virtual environment is tried before conda, then the path, toolkits, and the loader last', () => {
  put(
    `venv/${WHEEL}/libnvrtc.so.12`,
    'conda/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13',
    'conda/lib/libnvrtc.so.12',
    'tools/bin/python3',
    `tools/${WHEEL}/libnvrtc.so.12`,
    'cuda/lib64/libnvrtc.so'
  );
  process.env['CUDA_HOME'] = join(tree, 'cuda');
  process.env['PATH'] = `${join(tree, 'empty')}:${join(tree, 'tools/bin')}:`;
  process.env['CONDA_PREFIX'] = join(tree, 'conda');
  process.env['VIRTUAL_ENV'] = join(tree, 'venv');
  const found = candidates(NVRTC);
  expect(inTree(found)).toEqual([
    `venv/${WHEEL}/libnvrtc.so.12`,
    'conda/lib/python3.11/site-packages/nvidia/cu13/lib/libnvrtc.so.13',
    `tools/${WHEEL}/libnvrtc.so.12`,
    'cuda/lib64/libnvrtc.so',
    'conda/lib/libnvrtc.so.12'
  ]);
  expect(found.slice(-NVRTC.files.length)).toEqual(NVRTC.files);
  expect(placesSearched(NVRTC)).toContain(join(tree, 'cuda'));
});

test('of several versions in one folder the newest is tried first, and a file is tried once', () => {
  put(
    'cuda/lib64/libnvrtc.so',
    'cuda/lib64/libnvrtc.so.12',
    'cuda/lib64/libnvrtc.so.13',
    'cuda/lib64/libnvrtc-builtins.so.13'
  );
  process.env['CUDA_HOME'] = join(tree, 'cuda');
  process.env['CUDA_PATH'] = join(tree, 'cuda');
  expect(inTree(candidates(NVRTC))).toEqual([
    'cuda/lib64/libnvrtc.so.13',
    'cuda/lib64/libnvrtc.so.12',
    'cuda/lib64/libnvrtc.so'
  ]);
  expect(inTree(toolkits())).toEqual(['cuda']);
});

test("files that Debian's Python and pip install in dist-packages are found", () => {
  put('venv/lib/python3/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12');
  process.env['VIRTUAL_ENV'] = join(tree, 'venv');
  expect(inTree(candidates(NVRTC))).toEqual([
    'venv/lib/python3/dist-packages/nvidia/cuda_nvrtc/lib/libnvrtc.so.12'
  ]);
  expect(inTree(nvidiaWheels())).toHaveLength(1);
});

test('folders that do not exist, are files, or are unset do no harm', () => {
  put('venv/lib', 'cuda');
  process.env['VIRTUAL_ENV'] = join(tree, 'venv');
  process.env['CONDA_PREFIX'] = join(tree, 'absent');
  process.env['CUDA_HOME'] = join(tree, 'cuda');
  expect(inTree(candidates(NVRTC))).toEqual([]);
  expect(inTree(includeFolders())).toEqual([]);
});

test('headers are taken from the first place that has them', () => {
  put('venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda.h', 'cuda/include/cuda_fp16.h');
  process.env['VIRTUAL_ENV'] = join(tree, 'venv');
  process.env['CUDA_HOME'] = join(tree, 'cuda');
  expect(inTree(includeFolders())).toEqual(['cuda/include']);
  put('venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include/cuda_fp16.h');
  expect(inTree(includeFolders())).toEqual(['venv/lib/python3.12/site-packages/nvidia/cuda_runtime/include']);
});

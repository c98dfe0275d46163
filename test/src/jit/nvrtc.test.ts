/** NVRTC, which needs no GPU: skipped if it is not installed; and the errors if it is missing. */

import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  ArgumentError,
  CompileError,
  cuda,
  DriverError,
  DriverUnavailableError
} from '../../../src/index.ts';
import { compileCode, compileCodeAsync, type CompileRequest } from '../../../src/compiler/nvrtc.ts';
import { native } from '../../../src/native/load.ts';
import { printedBy, root } from '../../setup/repository.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

// The default environment is that of the exchange tests, which has NVIDIA's wheels.
if (existsSync(join(root, '.venv-exchange'))) process.env['VIRTUAL_ENV'] ??= join(root, '.venv-exchange');

function compilerIsThere(): boolean {
  try {
    cuda.compiler();
    return true;
  } catch (error) {
    if (error instanceof DriverUnavailableError) return false;
    throw error;
  }
}

const withCompiler = compilerIsThere() ? describe : describe.skip;
const request = (source: string, more: Partial<CompileRequest> = {}): CompileRequest => ({
  source,
  name: 'kernel.cu',
  capability: [9, 0],
  options: [],
  expressions: [],
  ...more
});
const KERNEL = 'extern "C" __global__ void k(float* x) { x[threadIdx.x] *= 2; }';
const ELF = [0x7f, 0x45, 0x4c, 0x46];

function refusalOf(source: string, more: Partial<CompileRequest> = {}): CompileError {
  try {
    compileCode(request(source, more));
  } catch (error) {
    expect(error).toBeInstanceOf(CompileError);
    return error as CompileError;
  }
  throw new Error('it compiled');
}

withCompiler('compiling', () => {
  let folder: string;
  const before = { ...process.env };
  beforeEach(() => {
    folder = temporaryFolder();
    process.env['STRIDELAB_CACHE_DIR'] = join(folder, 'cache');
  });
  afterEach(() => {
    process.env = { ...before };
  });
  const entries = (): string[] => readdirSync(join(folder, 'cache'));

  test('returns machine code, which is kept on disk and not compiled again', () => {
    const { code, lowered } = compileCode(request(KERNEL));
    expect([...code.subarray(0, 4)]).toEqual(ELF);
    expect(lowered).toEqual([]);
    expect(entries()).toHaveLength(1);
    const [entry] = entries();
    const kept = compileCode(request(KERNEL));
    expect(Buffer.compare(kept.code, code)).toBe(0);
    writeFileSync(join(folder, 'cache', entry as string), 'damaged');
    expect([...compileCode(request(KERNEL)).code.subarray(0, 4)]).toEqual(ELF);
  });

  test('distinguishes requests with different code', () => {
    compileCode(request(KERNEL));
    compileCode(request(`${KERNEL}\n`));
    compileCode(request(KERNEL, { capability: [8, 0] }));
    compileCode(request(KERNEL, { options: ['--use_fast_math'] }));
    compileCode(request(KERNEL, { name: 'other.cu' }));
    expect(entries()).toHaveLength(5);
  });

  test('a header that changed is compiled again', () => {
    const options = [`--include-path=${folder}`];
    const source = '#include "factor.h"\nextern "C" __global__ void k(int* x) { *x = FACTOR; }';
    const codeWith = (factor: number): string => {
      writeFileSync(join(folder, 'factor.h'), `#define FACTOR ${factor}\n`);
      return Buffer.from(compileCode(request(source, { options })).code).toString('hex');
    };
    const [two, three] = [codeWith(2), codeWith(3)];
    expect(two).not.toBe(three);
    expect(codeWith(2)).toBe(two);
    expect(entries()).toHaveLength(2);
  });

  test('compiles on another thread', async () => {
    const sources = [1, 2, 3].map(value => `extern "C" __global__ void k(int* x) { *x = ${value}; }`);
    const done = await Promise.all(sources.map(source => compileCodeAsync(request(source))));
    expect(new Set(done.map(({ code }) => Buffer.from(code).toString('hex'))).size).toBe(3);
    await expect(compileCodeAsync(request('nonsense'))).rejects.toThrow(CompileError);
  });

  test('names of C++ are lowered, for each set of template arguments', () => {
    const source =
      'template <typename T, int N> __global__ void k(T* x) { *x = N; } namespace n { __global__ void f() {} }';
    const { lowered } = compileCode(
      request(source, { expressions: ['k<float, 3>', 'k<double, 4>', 'n::f'] })
    );
    expect(lowered).toEqual(['_Z1kIfLi3EEvPT_', '_Z1kIdLi4EEvPT_', '_ZN1n1fEv']);
    expect(compileCode(request(source, { expressions: ['k<float, 3>'] })).lowered).toEqual([
      '_Z1kIfLi3EEvPT_'
    ]);
    expect(refusalOf(source, { expressions: ['absent'] }).message).toContain(
      "One of the names 'absent' is not a function of the source"
    );
  });

  test('a virtual architecture gives PTX', () => {
    const { code } = compileCode(request(KERNEL, { options: ['--gpu-architecture=compute_80'] }));
    expect(Buffer.from(code).toString()).toMatch(/^\s*\/\/[^]*\.version[^]*\.target sm_80/);
  });

  test('errors have their line and its source', () => {
    const error = refusalOf('__global__ void k(int* x) {\n  *x = nope;\n}\n');
    expect(error.code).toBe('ERR_COMPILE');
    expect(error.message).toBe(
      'kernel.cu does not compile\nline 2: error: identifier "nope" is undefined\n  2 |   *x = nope;'
    );
    expect(error.diagnostics).toMatchObject([{ severity: 'error', line: 2, place: null }]);
    expect(error.log).toContain('1 error detected');
    expect(refusalOf('__global__ void k() {').message).toContain('line 1: error: expected a "}"');
  });

  test('warnings are returned, also from the cache', () => {
    const source = 'extern "C" __global__ void k() { int unused; }';
    const { log } = compileCode(request(source));
    expect(log).toContain('"unused" was declared but never referenced');
    expect(compileCode(request(source)).log).toBe(log);
  });

  test('missing headers, unknown options and architectures have advice', () => {
    expect(refusalOf('#include "missing.h"\n').message).toMatch(
      /The header missing\.h was not found: install CUDA's headers.*--include-path/
    );
    expect(refusalOf(KERNEL, { options: ['--wrong'] }).message).toContain('unrecognized option --wrong');
    expect(refusalOf(KERNEL, { capability: [99, 9] }).message).toMatch(
      /NVRTC \d+\.\d+ \(.*\) does not support --gpu-architecture=sm_999: install a newer one/
    );
  });

  test('code that a driver refuses is reported with the versions of both', async () => {
    // The recording driver rejects machine code.
    const refused =
      /CUDA_ERROR_INVALID_IMAGE[^]*compiled by NVRTC \d+\.\d+ \(.*\), the driver is of CUDA \d+\.\d+.*STRIDELAB_LIBNVRTC/;
    const on = { device: 'rec', options: ['--gpu-architecture=sm_90'] };
    expect(() => cuda.compile(KERNEL, on)).toThrow(DriverError);
    expect(() => cuda.compile(KERNEL, on)).toThrow(refused);
    await expect(cuda.compileAsync(KERNEL, on)).rejects.toThrow(refused);
  });

  test('options and names of the wrong kind are refused before anything is compiled', () => {
    for (const wrong of [{ options: '--use_fast_math' }, { options: [1] }, { names: 'k' }, { names: [null] }])
      expect(() => cuda.compile(KERNEL, { device: 'rec', ...(wrong as object) })).toThrow(
        /cuda\.compile: (options|names) is .*, expected a list of strings/
      );
    expect(() => cuda.compile(7 as never, { device: 'rec' })).toThrow(ArgumentError);
  });

  test('a failed compilation is not kept', () => {
    refusalOf('nonsense');
    expect(() => entries()).toThrow(/ENOENT/);
  });

  test('values of the wrong kind are refused by native code too', () => {
    const { nvrtc } = native();
    for (const wrong of [
      undefined,
      null,
      1,
      {},
      { source: 1 },
      { source: '', name: '', options: [1], expressions: [] }
    ])
      expect(() => nvrtc.compile(wrong as never)).toThrow(/must be/);
    expect(() => nvrtc.open([1] as never)).toThrow(/must be a string/);
  });
});

describe('without NVRTC', () => {
  const library = JSON.stringify(new URL('../../../src/index.ts', import.meta.url).href);
  const PROGRAM = `
    const { cuda } = await import(${library});
    const told = [];
    for (const ask of [() => cuda.compiler(), () => cuda.compile('', { device: 'rec' }), () => cuda.compileAsync('', { device: 'rec' })]) {
      try { await ask(); } catch ({ name, code, message, tried }) { told.push({ name, code, message, tried }); }
    }
    console.log(JSON.stringify(told));`;

  test('every way to compile reports the paths that were tried and what to install', async () => {
    const environment = { STRIDELAB_LIBNVRTC: '/nowhere/libnvrtc.so' };
    const told = (await printedBy(PROGRAM, environment)) as Record<string, unknown>[];
    expect(told).toHaveLength(3);
    for (const error of told) {
      expect(error).toMatchObject({
        name: 'DriverUnavailableError',
        code: 'ERR_DRIVER_UNAVAILABLE',
        tried: ['/nowhere/libnvrtc.so']
      });
      expect(error['message']).toMatch(
        /NVRTC.*could not be opened; looked for:\n {2}\/nowhere\/libnvrtc\.so[^\n]*\nSTRIDELAB_LIBNVRTC names the only file[^\n]*\nInstall it with `pip install nvidia-cuda-nvrtc`/
      );
    }
  });
});

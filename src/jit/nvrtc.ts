/** NVRTC: CUDA C++ to code for one kind of GPU, from the disk where it was compiled before. */

import { CompileError, DriverUnavailableError } from '../errors.ts';
import { candidates, includeFolders, NVRTC } from '../libraries/search.ts';
import type { NvrtcRequest, NvrtcResult } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { cacheKey, readCache, writeCache, type CompiledCode } from './cache.ts';
import { formatDiagnostic, parseLog } from './diagnostics.ts';

export interface CompileRequest {
  readonly source: string;
  /** File name in messages. */
  readonly name: string;
  /** Compute capability, such as [9, 0]. */
  readonly capability: readonly [number, number];
  readonly options: readonly string[];
  /** C++ names of kernels whose lowered names are wanted. */
  readonly expressions: readonly string[];
}

interface Compiler {
  readonly path: string;
  readonly major: number;
  readonly minor: number;
}

let compiler: Compiler | undefined;

/** The compiler in use. @throws DriverUnavailableError saying what was looked for */
export function nvrtc(): Compiler {
  if (compiler !== undefined) return compiler;
  try {
    compiler = native().nvrtc.open(candidates(NVRTC));
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    throw new DriverUnavailableError(
      `${error.message}\nInstall it with \`pip install nvidia-cuda-nvrtc\` or a CUDA toolkit, or name the file in ${NVRTC.variable}.`,
      error.tried
    );
  }
  return compiler;
}

/** From this version on NVRTC knows `-minimal`, which leaves its built-in headers out. */
function prepare(request: CompileRequest): { request: NvrtcRequest; key: string } {
  const { major, minor } = nvrtc();
  const [capability, revision] = request.capability;
  const standard = request.options.some(option => /^-?-std=/.test(option)) ? [] : ['--std=c++17'];
  const include = request.source.includes('#include') ? includeFolders() : [];
  const options = [
    `--gpu-architecture=sm_${capability}${revision}`,
    ...standard,
    ...request.options,
    ...include.map(folder => `--include-path=${folder}`)
  ];
  const { source, name, expressions } = request;
  const key = cacheKey([source, name, `${major}.${minor}`, ...options, '', ...expressions]);
  return { request: { source, name, options, expressions, ptx: false }, key };
}

function finish(
  { ok, log, code, lowered }: NvrtcResult,
  { source, name }: NvrtcRequest,
  key: string
): CompiledCode {
  if (!ok) throw compileError(log, name, source);
  const compiled = { code, lowered, log };
  writeCache(key, compiled);
  return compiled;
}

function compileError(log: string, name: string, source: string): CompileError {
  const diagnostics = parseLog(log, name, source);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const shown =
    errors.length > 0 ? errors.map(each => formatDiagnostic(each, source)).join('\n') : log.trim();
  const header = /could not open source file "([^"]+)"|cannot open source file "([^"]+)"/.exec(log);
  const missing = header?.[1] ?? header?.[2];
  const hint =
    missing === undefined
      ? ''
      : `\nThe header ${missing} was not found: install CUDA's headers (pip install nvidia-cuda-runtime, or a toolkit named by CUDA_HOME), or pass --include-path=FOLDER.`;
  return new CompileError(`${name} does not compile\n${shown}${hint}`, log, diagnostics);
}

/** @throws CompileError with the compiler's messages, DriverUnavailableError */
export function compileCode(request: CompileRequest): CompiledCode {
  const { request: full, key } = prepare(request);
  return readCache(key) ?? finish(native().nvrtc.compile(full), full, key);
}

/** The same on another thread. */
export async function compileCodeAsync(request: CompileRequest): Promise<CompiledCode> {
  const { request: full, key } = prepare(request);
  return readCache(key) ?? finish(await native().nvrtc.compileAsync(full), full, key);
}

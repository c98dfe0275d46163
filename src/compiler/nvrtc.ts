/** NVRTC: compiles CUDA C++ for one kind of GPU, or reads the code from the disk cache. */

import { CompileError, DriverUnavailableError } from '../base/errors.ts';
import { candidates, includeFolders, NVRTC, placesSearched } from '../core/search.ts';
import type { NvrtcRequest, NvrtcResult } from '../native/compiler-binding.ts';
import { native } from '../native/load.ts';
import { cacheKey, readCache, writeCache, type CompiledCode } from './cache.ts';
import { formatDiagnostic, parseLog } from './diagnostics.ts';
import { includedTexts } from './headers.ts';

export interface CompileRequest {
  readonly source: string;
  readonly name: string;
  /** Compute capability, such as [9, 0]. */
  readonly capability: readonly [number, number];
  readonly options: readonly string[];
  /** C++ names of kernels whose lowered names are requested. */
  readonly expressions: readonly string[];
}

interface Compiler {
  readonly path: string;
  readonly major: number;
  readonly minor: number;
}

let compiler: Compiler | undefined;

/** Returns the compiler; undefined if nothing has been compiled yet. */
export function nvrtcInUse(): Compiler | undefined {
  return compiler;
}

/** Opens and returns the compiler. @throws DriverUnavailableError that lists the files tried */
export function nvrtc(): Compiler {
  if (compiler !== undefined) return compiler;
  try {
    compiler = native().nvrtc.open(candidates(NVRTC));
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    throw new DriverUnavailableError(
      `${error.message}\n${placesSearched(NVRTC)}\nInstall it with \`pip install nvidia-cuda-nvrtc\` or a CUDA toolkit, or name the file in ${NVRTC.variable}.`,
      error.tried
    );
  }
  return compiler;
}

interface Prepared {
  readonly request: NvrtcRequest;
  /** The cache key; null if the inputs are not fully known. */
  readonly key: string | null;
}

const ARCHITECTURE = /^(?:--gpu-architecture|-arch)(?:=|$)/;

function prepare(request: CompileRequest): Prepared {
  const { major, minor } = nvrtc();
  const [capability, revision] = request.capability;
  const { source, name, expressions } = request;
  const chosen = request.options.find(option => ARCHITECTURE.test(option));
  const architecture = chosen === undefined ? [`--gpu-architecture=sm_${capability}${revision}`] : [];
  const standard = request.options.some(option => /^-?-std\b/.test(option)) ? [] : ['--std=c++17'];
  const include = source.includes('#include') ? includeFolders() : [];
  const options = [
    ...architecture,
    ...standard,
    ...request.options,
    ...include.map(folder => `--include-path=${folder}`)
  ];
  // A virtual architecture has no machine code; the driver compiles its PTX.
  const ptx = chosen?.includes('compute_') === true;
  const headers = includedTexts(source, options);
  const key =
    headers === null
      ? null
      : cacheKey([source, name, `${major}.${minor}`, ...options, '', ...expressions, '', ...headers]);
  return { request: { source, name, options, expressions, ptx }, key };
}

function finish({ ok, log, code, lowered }: NvrtcResult, { request, key }: Prepared): CompiledCode {
  if (!ok) throw compileError(log, request);
  const compiled = { code, lowered, log };
  if (key !== null) writeCache(key, compiled);
  return compiled;
}

/** Returns advice for errors whose cause is not the source, if the log shows it. */
function hintOf(log: string, { options, expressions }: NvrtcRequest): string {
  const header = /could(?: not|n't) open source file "([^"]+)"|cannot open source file "([^"]+)"/.exec(log);
  const missing = header?.[1] ?? header?.[2];
  if (missing !== undefined)
    return `\nThe header ${missing} was not found: install CUDA's headers (pip install nvidia-cuda-runtime, or a toolkit named by CUDA_HOME), or pass --include-path=FOLDER.`;
  if (log.includes('--gpu-architecture')) {
    const { path, major, minor } = nvrtc();
    const asked = options.find(option => ARCHITECTURE.test(option)) ?? '';
    return `\nNVRTC ${major}.${minor} (${path}) does not support ${asked}: install a newer one (pip install --upgrade nvidia-cuda-nvrtc), or name its file in ${NVRTC.variable}.`;
  }
  if (log.includes('__nv_name_map'))
    return `\nOne of the names ${expressions.map(name => `'${name}'`).join(', ')} is not a function of the source.`;
  return '';
}

function compileError(log: string, request: NvrtcRequest): CompileError {
  const { source, name } = request;
  const diagnostics = parseLog(log, name, source);
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const shown =
    errors.length > 0 ? errors.map(each => formatDiagnostic(each, source)).join('\n') : log.trim();
  return new CompileError(`${name} does not compile\n${shown}${hintOf(log, request)}`, log, diagnostics);
}

const cached = ({ key }: Prepared): CompiledCode | undefined => (key === null ? undefined : readCache(key));

/** Compiles, unless the result is cached. @throws CompileError with the compiler's messages, DriverUnavailableError */
export function compileCode(request: CompileRequest): CompiledCode {
  const prepared = prepare(request);
  return cached(prepared) ?? finish(native().nvrtc.compile(prepared.request), prepared);
}

/** Compiles on another thread, unless the result is cached. */
export async function compileCodeAsync(request: CompileRequest): Promise<CompiledCode> {
  const prepared = prepare(request);
  return cached(prepared) ?? finish(await native().nvrtc.compileAsync(prepared.request), prepared);
}

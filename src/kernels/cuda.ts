/** `cuda`: kernels in TypeScript and in CUDA C++, and what works inside them. */

import { cuda as compiled } from '../jit/cuda.ts';
import { deviceFunctions } from './language/device-functions.ts';
import { specials } from './language/specials.ts';
import { random } from './language/random.ts';
import { synchronization } from './language/synchronization.ts';
import { vectors } from './language/vectors.ts';
import { requireOptions } from '../base/did-you-mean.ts';
import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { Kernel, type Body } from './launch/kernel.ts';
import { filter } from './patterns/filter.ts';
import { map } from './patterns/map.ts';
import { reduce } from './patterns/reduce.ts';
import { scan } from './patterns/scan.ts';
import { sourceOfFunction } from './source/function-source.ts';

/** Options of `cuda.kernel`. */
export interface KernelOptions {
  /** The name in traces, profilers and messages; by default the function's own, otherwise `kernel`. */
  readonly name?: string;
  /** Whether a GPU may compute a * b + c with one rounding. Default true, as in CUDA C++; the simulated device always rounds twice. */
  readonly contract?: boolean;
}

const OPTIONS = new Set(['name', 'contract']);

/**
 * Makes a kernel of a function in the language of kernels, a part of TypeScript. Each thread of a launch runs it.
 * @param body its parameters say what it takes: `DeviceArray<f32>`, `f32`, `i32`…
 * @throws ArgumentError if it is no function, or for an unknown option
 * @example
 * const twice = cuda.kernel((x: DeviceArray<f32>) => { const i = cuda.grid(1); if (i < x.length) x[i] *= 2; });
 * twice.launch({ grid: 4, block: 256 }, x);
 */
function kernel<F extends Body>(body: F, options: KernelOptions = {}): Kernel<F> {
  if (typeof body !== 'function')
    throw new ArgumentError(`cuda.kernel: expected a function, not ${textOf(body)}`);
  if (typeof options !== 'object' || (options as unknown) === null)
    throw new ArgumentError(
      `cuda.kernel: expected options such as { name: 'scale' }, not ${textOf(options)}`
    );
  requireOptions('cuda.kernel', options, OPTIONS);
  const name = options.name ?? (body.name === '' ? 'kernel' : body.name);
  const source = sourceOfFunction(body, name);
  const made = new Kernel<F>(
    { source, name, parameters: body.length },
    { contract: options.contract ?? true }
  );
  made.compileAhead();
  return made;
}

/** Kernels in TypeScript and CUDA C++, and the functions and values that work inside those in TypeScript. */
export const cuda = Object.freeze({
  ...compiled,
  ...specials,
  ...deviceFunctions,
  ...synchronization,
  ...vectors,
  ...random,
  kernel,
  map,
  reduce,
  scan,
  filter
});

/** Kernels on GPUs: the program as CUDA C++, compiled and loaded. */

import type { CompiledCode } from '../../compiler/cache.ts';
import { compileCode, type CompileRequest } from '../../compiler/nvrtc.ts';
import type { Device } from '../../core/device.ts';
import type { NativeKernel } from '../../native/compiler-binding.ts';
import { keyed } from '../../native/keyed.ts';
import { native } from '../../native/load.ts';
import { emitCuda } from '../cuda/emit.ts';
import { argumentSlots } from '../program/parameters.ts';
import type { Program } from '../program/program.ts';
import type { Prepared } from './prepared.ts';

/** What the GPU runs, for `kernel.inspect()`. */
export interface PreparedOnGpu extends Prepared {
  readonly kind: 'gpu';
  readonly native: NativeKernel;
  readonly code: CompiledCode;
}

/** Makes the request of a program for NVRTC. */
export function compileRequest(
  program: Program,
  device: Device,
  { contract }: { readonly contract: boolean }
): CompileRequest {
  return {
    source: emitCuda(program, { lines: true }),
    name: `${program.name}.cu`,
    capability: device.computeCapability,
    // Lines of the cell in profilers and compute-sanitizer; they cost nothing at run time.
    options: ['-lineinfo', ...(contract ? [] : ['--fmad=false'])],
    expressions: []
  };
}

export function prepareOnGpu(
  program: Program,
  device: Device,
  settings: { readonly contract: boolean }
): PreparedOnGpu {
  const request = compileRequest(program, device, settings);
  const code = compileCode(request);
  const sizes = argumentSlots(program.parameters).map(({ bytes }) => bytes);
  const kernel = native().loadModule(device.native, code.code).kernel(program.name, sizes);
  const { key, operands } = kernel;
  return {
    kind: 'gpu',
    native: kernel,
    code,
    config: kernel.config,
    values: new DataView(kernel.values),
    addresses: new BigUint64Array(kernel.values, 0, kernel.values.byteLength >> 3),
    passesEmpty: false,
    offsets: kernel.parameters.map(({ offset }) => offset),
    launch: (stream, storages) => {
      for (let index = 0; index < storages.length; index++) operands[index] = storages[index]!.key;
      return keyed().launch(key, stream.key, storages.length);
    }
  };
}

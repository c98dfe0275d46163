/** Compiles kernels whose parameters have full types beside the program, so that their first launch need not. */

import { compileCodeAsync } from '../../compiler/nvrtc.ts';
import { StridelabError } from '../../base/errors.ts';
import { defaultDevice } from '../../core/device.ts';
import { lowerKernel } from '../language/lower.ts';
import type { FunctionSource } from '../source/function-source.ts';
import { compileRequest } from './gpu.ts';
import type { CompileSettings } from './specialization.ts';

/**
 * Starts to compile a kernel for the default device, for contiguous arrays, once the running code has ended. The result goes to the cache
 * on disk, where the launch finds it. Faults are ignored: the launch reports them, if it still finds any.
 */
export function compileAhead(source: FunctionSource, name: string, settings: CompileSettings): void {
  const compile = async (): Promise<void> => {
    try {
      const device = defaultDevice();
      if (device.kind !== 'cuda') return;
      const { program } = lowerKernel(source, name, []);
      await compileCodeAsync(compileRequest(program, device, settings));
    } catch (error) {
      if (!(error instanceof StridelabError)) throw error;
    }
  };
  setImmediate(() => void compile()).unref();
}

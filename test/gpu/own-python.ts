/** Support for tests that exchange arrays with Python's libraries inside this process. */

import type { TestContext } from 'node:test';
import { python, type PyObject } from 'stridelab';
import { device } from './device.ts';

// JAX would otherwise preallocate most of the device.
process.env['XLA_PYTHON_CLIENT_PREALLOCATE'] = 'false';

/** Elements of one byte: enough that a copy takes a while, and few compared with the device's memory. */
export const COUNT = 2 ** 22;
/** GPU cycles: some 200 ms, in which a host makes thousands of calls, even beside other processes on the device. */
export const LONG = 350_000_000;

/** Returns whether the libraries can be imported; otherwise skips the test with a reason. */
export function needs(t: TestContext, ...modules: readonly string[]): boolean {
  if (device.simulated) {
    t.skip('it is the simulated device');
    return false;
  }
  // Prints a traceback if a library crashes.
  python.run('import faulthandler; faulthandler.enable()');
  for (const module of modules) {
    try {
      // This version of Numba uses a name that NumPy has removed.
      if (module === 'numba.cuda') python.run('import numpy as np\nnp.row_stack = np.vstack');
      python.import(module);
    } catch (error) {
      t.skip(`${module} cannot be imported: ${String(error).split('\n')[0]}`);
      return false;
    }
  }
  return true;
}

export const object = (expression: string): PyObject => python.evaluate(expression) as PyObject;
/** The samples of an array that is all `value`. */
export const three = (value: number): number[] => [value, value, value];

/** Runs a program after preparing PyTorch with a stream `side` and `hold(handle)`, which keeps a stream busy. */
export function withTorch(program: string): void {
  python.run(`
import torch
side = torch.cuda.Stream()
def hold(handle):
    with torch.cuda.stream(torch.cuda.ExternalStream(handle)):
        torch.cuda._sleep(${LONG})
${program}`);
}

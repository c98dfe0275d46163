/** One kernel for all tests of a file or of a `describe`. */

import { KernelClient, traceback } from './client.ts';

export let kernel: KernelClient;

/** Starts `kernel` before these tests and closes it after them. */
export function withKernel(...options: Parameters<typeof KernelClient.start>): void {
  // The machine may be busy.
  beforeAll(async () => {
    kernel = await KernelClient.start(...options);
  }, 60_000);
  afterAll(() => kernel.close());
}

/** The result of the last of these cells, all of which must succeed. */
export async function last(...cells: string[]): Promise<string | undefined> {
  let result: string | undefined;
  for (const cell of cells) {
    const execution = await kernel.execute(cell);
    if (execution.reply['status'] !== 'ok') throw new Error(`${cell}\n${traceback(execution.reply)}`);
    result = execution.result;
  }
  return result;
}

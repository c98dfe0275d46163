/** Kernels that a test starts itself; each is closed after the test. */

import { KernelClient, traceback, WITHOUT_TYPES } from './client.ts';

let kernels: KernelClient[] = [];

afterEach(async () => {
  await Promise.all(kernels.map(kernel => kernel.close()));
  kernels = [];
});

/** Starts a kernel without type checks, unless the environment sets them. */
export async function startKernel(
  environment: Record<string, string>,
  folder?: string
): Promise<KernelClient> {
  const kernel = await KernelClient.start('tcp', { ...WITHOUT_TYPES, ...environment }, false, folder);
  kernels.push(kernel);
  return kernel;
}

/** The result of a cell, which must succeed. */
export async function value(kernel: KernelClient, cell: string): Promise<string | undefined> {
  const { reply, result } = await kernel.execute(cell);
  if (reply['status'] !== 'ok') throw new Error(`${cell}\n${traceback(reply)}`);
  return result;
}

/** The traceback of a cell, which must fail. */
export async function fails(kernel: KernelClient, cell: string): Promise<string> {
  const { reply } = await kernel.execute(cell);
  expect(reply['status']).toBe('error');
  return traceback(reply);
}

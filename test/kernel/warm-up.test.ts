import { readFileSync } from 'node:fs';
import { pass, until } from '../setup/until.ts';
import { KernelClient } from './client.ts';

/** Command lines of a process's children. */
function children(pid: number): string[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return pids.map(child => readFileSync(`/proc/${child}/cmdline`, 'utf8'));
}

test('the TypeScript server starts after the first cell, without a question', async () => {
  const kernel = await KernelClient.start();
  const running = (): boolean => children(kernel.child.pid!).some(command => command.includes('--lsp'));
  try {
    await pass(500, 'nothing must start meanwhile');
    expect(running()).toBe(false);
    await kernel.execute('let first = 1');
    await until(running);
  } finally {
    await kernel.close();
  }
});

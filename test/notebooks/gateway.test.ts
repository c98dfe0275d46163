/** A kernel at another server, by the messages of a page; test/frontends/gateway-in-browser.test.ts has a real page. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { until } from '../setup/until.ts';
import { startGatewayServers } from './gateway-servers.ts';

const runs = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test('a kernel at another server runs cells and widgets, and is interrupted, restarted and shut down', async () => {
  const { page, remote, stop } = await startGatewayServers(temporaryFolder());
  const [ours, theirs] = [page, remote].map(({ state }) => join(state, 'runtime')) as [string, string];
  const kernelFiles = (folder: string): string[] =>
    readdirSync(folder).filter(name => name.startsWith('kernel-'));
  try {
    const client = join(root, 'test', 'notebooks', 'clients', 'gateway_session.py');
    const running = run(join(root, '.venv', 'bin', 'python'), ['-B', client, page.url, page.token]);
    let connection = '';
    await until(() => {
      const [file] = kernelFiles(theirs);
      connection = file === undefined ? '' : readFileSync(join(theirs, file), 'utf8');
      return connection.endsWith('}');
    }, 60);
    expect(Object.keys(JSON.parse(connection) as object)).toContain('curve_secretkey');

    const { status, output, stdout } = await running;
    expect(status === 0 ? '' : output).toBe('');
    const { processes, ...seen } = JSON.parse(stdout) as { readonly processes: readonly number[] };
    expect(seen).toEqual({
      specs: expect.arrayContaining(['stridelab']) as unknown,
      info: 'stridelab',
      result: '42',
      matches: ['version', 'versions'],
      opened: [0, 255, 7],
      received: '128,1',
      changed: 'update',
      interrupted: 'error',
      kept: '254,0',
      restarted: 'undefined'
    });
    // The front and the executor, before and after the restart.
    expect(new Set(processes).size).toBe(4);
    await until(() => !processes.some(runs), 60);
    expect([kernelFiles(ours), kernelFiles(theirs)]).toEqual([[], []]);
  } finally {
    await stop();
  }
}, 180_000);

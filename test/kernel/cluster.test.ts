/** Clusters from a notebook: functions of cells, progress, output of tasks, and interrupts. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';
import { runs } from '../setup/processes.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { until } from '../setup/until.ts';
import { KernelClient } from './client.ts';
import { kernel, last, withKernel } from './one-kernel.ts';

const environment = {
  STRIDELAB_PYTHON: join(root, '.venv', 'bin', 'python'),
  STRIDELAB_PYTHON_MODE: 'auto'
};

describe('a cluster of a notebook', () => {
  withKernel('tcp', environment);
  let folder: string;
  beforeAll(async () => {
    folder = temporaryFolder();
    await last(
      `import { arange, type NDArray } from 'stridelab';
       import { connect, type Remote } from 'stridelab/cluster';
       const cluster = await connect({ workers: 2, threads: 1 });
       const offset = 5;`
    );
  }, 60_000);
  test('runs functions of cells, with their types removed and their imports and awaits', async () => {
    const result = await last(
      `const scale = cluster.fn(async (x: NDArray, k: number) => {
         const { multiply } = await import('stridelab');
         await new Promise<void>(resolve => setTimeout(resolve, 1));
         return multiply(x, k) as NDArray;
       });`,
      `const [part] = await cluster.scatter([arange(3)]);
       String((await scale(part!, 2)).toNested())`
    );
    expect(result).toContain('0,2,4');
  });

  test('refuses names of the notebook', async () => {
    const { reply } = await kernel.execute('cluster.fn((x: number) => x + offset)');
    expect(reply['evalue']).toContain('uses offset, which workers do not have');
    const display = await kernel.execute('cluster.fn(() => display("x"))');
    expect(display.reply['evalue']).toContain('uses display');
  });

  test('shows the progress of gather, and what tasks print', async () => {
    const file = join(folder, 'go');
    const id = kernel.startExecution(
      `const waits = cluster.fn(async (file: string, i: number) => {
         const fs = await import('node:fs');
         if (i === 0) console.log('a task begins');
         while (!fs.existsSync(file)) await new Promise(resolve => setTimeout(resolve, 5));
         return i;
       });
       await cluster.gather([0, 1, 2].map(i => waits(${JSON.stringify(file)}, i)), { progress: 'waiting' })`
    );
    const shown = kernel.published(
      ({ type, content }) => type === 'display_data' && JSON.stringify(content).includes('waiting')
    );
    const printed = kernel.published(
      ({ type, content }) => type === 'stream' && String(content['text']).includes('a task begins')
    );
    await Promise.all([shown, printed]);
    writeFileSync(file, '');
    const { result } = await kernel.finish(id);
    expect(result).toContain('[ 0, 1, 2 ]');
  }, 60_000);

  test('an interrupt of the cell cancels its tasks, and no others', async () => {
    const [began, ended] = [join(folder, 'began'), join(folder, 'ended')];
    await last(
      `const listens = cluster.fn(async (began: string, ended: string) => {
         const { currentTask } = await import('stridelab/cluster');
         const fs = await import('node:fs');
         fs.writeFileSync(began, '');
         await new Promise(resolve => currentTask()!.signal.addEventListener('abort', resolve));
         fs.writeFileSync(ended, '');
       });
       // Dask may send independent tasks to one worker, one behind the other.
       const [one, two] = (await cluster.facts()).workers.map(({ address }) => address) as [string, string];
       const other = listens.with({ workers: [one] })(${JSON.stringify(`${began}-other`)}, ${JSON.stringify(`${ended}-other`)});`
    );
    const id = kernel.startExecution(
      `await listens.with({ workers: [two] })(${JSON.stringify(began)}, ${JSON.stringify(ended)})`
    );
    await until(() => existsSync(began) && existsSync(`${began}-other`), 60);
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply['ename']).toBe('Interrupted');
    await until(() => existsSync(ended), 60);
    expect(await last('other.status')).toContain('pending');
    await last('await other.cancel()');
    await until(() => existsSync(`${ended}-other`), 60);
  }, 60_000);
});

describe.each(['in order', 'by SIGKILL of its executor'])('the end of a kernel %s', how => {
  test('ends the workers of its cluster, and their Node', async () => {
    const own = await KernelClient.start('tcp', environment);
    const { result } = await own.execute(`
      const { connect } = await import('stridelab/cluster');
      const cluster = await connect({ workers: 1, threads: 1 });
      JSON.stringify([process.pid, ...(await cluster.fn(() => [process.ppid, process.pid])())])`);
    const [executor, ...pids] = JSON.parse(String(result).replaceAll("'", '')) as [number, number, number];
    if (how !== 'in order') process.kill(executor, 'SIGKILL');
    await own.close();
    await until(() => !pids.some(runs), 60);
  }, 60_000);
});

/** Tests of a Dask cluster with a worker for each GPU: tasks, arrays that stay on the device, and moves between devices. */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';
import { arange, devices, inspect, python, type NDArray, type PyObject } from 'stridelab';
import { connect, type Cluster, type Remote } from 'stridelab/cluster';
import { until } from '../setup/until.ts';
import { device, on } from './device.ts';

const SECONDS = 1000;
/** Bytes that processes may allocate once and keep, such as staging memory; two thousand arrays have 500 MiB. */
const KEPT = 64 * 2 ** 20;
const gpus = devices().filter(each => !each.simulated && each.kind !== 'recording').length;

/** The reason to skip; false if the tests can run. */
function obstacle(...modules: readonly string[]): string | false {
  if (device.simulated) return 'it is the simulated device';
  try {
    execFileSync(process.env['STRIDELAB_PYTHON'] ?? 'python3', ['-c', `import ${modules.join(', ')}`], {
      stdio: 'pipe'
    });
    return false;
  } catch {
    return `this needs Python with ${modules.join(', ')}`;
  }
}

const make = async (count: number, value: number): Promise<NDArray> => {
  const { full } = await import('stridelab');
  return full([count], value, { dtype: 'float32', device: 'cuda:0' });
};
const double = async (x: NDArray): Promise<NDArray> => {
  const { add } = await import('stridelab');
  return add(x, x);
};
const ends = async (x: NDArray): Promise<unknown[]> => {
  await Promise.resolve();
  return [x.device?.label, x.size, x.item(0), x.item(x.size - 1)];
};

/** The tests, over one protocol of Dask. */
export function testCluster(protocol: 'tcp' | 'ucxx', ...modules: readonly string[]): void {
  const skip = obstacle(...modules);
  describe(`a worker for each GPU, over ${protocol}`, { skip, timeout: 300 * SECONDS }, () => {
    let cluster: Cluster | undefined;
    const started = async (): Promise<Cluster> => (cluster ??= await connect({ gpus: 'each', protocol }));

    test('tasks make, use and return arrays on the device of their worker', async () => {
      const own = await started();
      const workers = (await own.facts()).workers.map(({ address }) => address);
      assert.equal(workers.length, gpus);
      for (const [index, address] of workers.entries()) {
        const here = { workers: [address] };
        const made = own.fn(make).with(here)(1 << 20, index + 1);
        const doubled = own.fn(double).with(here)(made);
        assert.deepEqual(await own.fn(ends).with(here)(doubled), [
          'cuda:0',
          1 << 20,
          2 * index + 2,
          2 * index + 2
        ]);
        const library = (own.client['submit'] as PyObject)(
          python.evaluate('lambda x: type(__import__("cupy").asarray(x)).__module__'),
          doubled.future
        ) as PyObject;
        assert.match(await own.remote<string>(library), /cupy/);
      }
    });

    test('arrays move between devices, and to this process', { skip: gpus < 2 && 'one GPU' }, async () => {
      const own = await started();
      const [first, second] = (await own.facts()).workers.map(({ address }) => address) as [string, string];
      const made = own.fn(make).with({ workers: [first] })(1 << 22, 7);
      assert.deepEqual(await own.fn(ends).with({ workers: [second] })(made), ['cuda:0', 1 << 22, 7, 7]);
      const here = await made;
      assert.deepEqual([here.size, here.item(0), here.item(here.size - 1)], [1 << 22, 7, 7]);
    });

    test('scattered arrays of this process arrive', async () => {
      const own = await started();
      const [part] = (await own.scatter([arange(1 << 16, { dtype: 'float32', ...on })])) as [Remote<NDArray>];
      const [, size, begin, end] = await own.fn(ends)(part);
      assert.deepEqual([size, begin, end], [1 << 16, 0, (1 << 16) - 1]);
    });

    test('the picture names the GPUs and their memory', async () => {
      const own = await started();
      const { workers } = await own.facts();
      for (const { gpus: found } of workers) {
        assert.equal(found.length, 1);
        assert.ok((found[0]?.memoryTotal ?? 0) > (found[0]?.memoryUsed ?? 0));
      }
      inspect(own);
    });

    test('two thousand small arrays leave no memory behind', async () => {
      const own = await started();
      // Bytes that the processes of the workers use: other processes may use the same devices.
      const used = async (): Promise<number> => {
        const inNode = own.fn(async () => (await import('stridelab')).devices()[0]?.native.liveBytes ?? NaN);
        const inPython = python.evaluate(
          'lambda: __import__("cupy").get_default_memory_pool().used_bytes()'
        ) as PyObject;
        let sum = 0;
        for (const { address } of (await own.facts()).workers) {
          const here = { workers: [address], pure: false };
          const future = (own.client['submit'] as PyObject)(inPython, python.kw(here)) as PyObject;
          sum += (await inNode.with(here)()) + (await own.remote<number>(future));
        }
        return sum;
      };
      const work = async (from: number): Promise<void> => {
        const values = Array.from({ length: 500 }, (_, index) => from + index);
        const made = await own.map(
          own.fn(make),
          values.map(() => 1 << 16),
          values
        );
        const results = await own.map(own.fn(ends), made);
        await own.gather(results, { progress: false });
        for (const each of made) each[Symbol.dispose]();
      };
      const before = await used();
      for (let round = 0; round < 4; round++) await work(500 * round);
      // Dask releases results some time after their last future.
      let lost = NaN;
      await until(async () => (lost = (await used()) - before) <= KEPT, 20).catch(() => undefined);
      assert.ok(lost <= KEPT, `${lost} bytes`);
    });

    test('closes', async () => {
      await cluster?.close();
    });
  });
}

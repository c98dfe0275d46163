import { describeWith, pythonOfTests } from '../src/python/environment.ts';
import { KernelClient } from './client.ts';

describeWith([], 'a crash in an extension module of Python', () => {
  let kernel: KernelClient;
  beforeAll(async () => {
    kernel = await KernelClient.start('tcp', { STRIDELAB_PYTHON: pythonOfTests });
  });
  afterAll(() => kernel.close());

  test('ends the cell with its signal, and the next cell has a Python of its own', async () => {
    const begin = `import { python } from 'stridelab'; python.run('kept = 1');`;
    expect((await kernel.execute(`${begin} python.evaluate('kept + 1')`)).result).toBe('2');
    const { reply } = await kernel.execute(`python.import('ctypes').string_at(0)`);
    expect(reply).toMatchObject({ status: 'error', ename: 'ExecutorDied' });
    expect(reply['evalue']).toMatch(/the signal SIGSEGV .*variable.* lost; a new process was started/);
    const again = `import { python } from 'stridelab'; python.evaluate('"kept" in globals()')`;
    expect((await kernel.execute(again)).result).toBe('false');
  });
});

import { describeWith, pythonOfTests } from '../src/python/environment.ts';
import { WITHOUT_TYPES } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

describeWith([], 'a crash in an extension module of Python', () => {
  withKernel('tcp', { ...WITHOUT_TYPES, STRIDELAB_PYTHON: pythonOfTests });

  test('ends the cell with its signal, and the next cell has a new Python', async () => {
    const begin = `import { python } from 'stridelab'; python.run('kept = 1');`;
    expect((await kernel.execute(`${begin} python.evaluate('kept + 1')`)).result).toBe('2');
    const { reply } = await kernel.execute(`python.import('ctypes').string_at(0)`);
    expect(reply).toMatchObject({ status: 'error', ename: 'ExecutorDied' });
    expect(reply['evalue']).toMatch(
      /terminated by signal SIGSEGV .*variable.* lost; a new process was started/
    );
    const again = `import { python } from 'stridelab'; python.evaluate('"kept" in globals()')`;
    expect((await kernel.execute(again)).result).toBe('false');
  });
});

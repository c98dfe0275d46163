import { join } from 'node:path';

import { KernelClient, traceback } from './client.ts';

let kernel: KernelClient;
beforeAll(async () => {
  kernel = await KernelClient.start();
});
afterAll(() => kernel.close());

test.each([
  ["console.log('last words'); process.exit(3)", 'exit code 3'],
  ["console.log('last words'); process.kill(process.pid, 'SIGSEGV'); while (true) {}", 'SIGSEGV']
])('%s is an error of the cell, and the kernel goes on', async (code, how) => {
  await kernel.execute('let before = 1');
  const { reply, stdout } = await kernel.execute(code);
  expect(reply).toMatchObject({
    status: 'error',
    ename: 'ExecutorDied',
    evalue: expect.stringContaining(how) as unknown
  });
  expect(reply['evalue']).toContain('all variables are lost');
  expect(stdout).toBe('last words\n');
  expect((await kernel.execute('typeof before')).result).toBe("'undefined'");
});

test('an end between cells is told on stderr', async () => {
  await kernel.execute('setTimeout(() => process.exit(4), 30); 0;');
  const { content } = await kernel.published(
    ({ type, content }) => type === 'stream' && String(content['text']).includes('exit code 4')
  );
  expect(content['name']).toBe('stderr');
  expect((await kernel.execute('1')).result).toBe('1');
});

test('comms end with their process', async () => {
  const id = kernel.send('shell', 'comm_open', {
    comm_id: 'c',
    target_name: 'jupyter.widget.control',
    data: {}
  });
  await kernel.idle(id);
  expect((await kernel.request('comm_info_request', {}))['comms']).toHaveProperty('c');
  await kernel.execute('process.exit()');
  await kernel.published(({ type, content }) => type === 'comm_close' && content['comm_id'] === 'c');
  expect((await kernel.request('comm_info_request', {}))['comms']).toEqual({});
});

describe('a lost device', () => {
  const library = join(import.meta.dirname, '../../dist/src');
  /** A cell after which every call of the recording device answers CUDA_ERROR_ILLEGAL_ADDRESS. */
  const lose = (then: string): string => `
    const { native } = await import(${JSON.stringify(join(library, 'native/load.js'))});
    const { zeros } = await import('stridelab');
    const array = zeros(4, { device: 'rec' });
    let kept = 1;
    native().recording.fail('*', 700, -1);
    ${then}`;

  test('ends the cell with what was lost, and the next cell runs in a process of its own', async () => {
    const first = (await kernel.execute('process.pid')).result;
    const { reply } = await kernel.execute(lose('array.fill(1);'));
    expect(reply).toMatchObject({ status: 'error', ename: 'DeviceLostError' });
    expect(reply['evalue']).toMatch(
      /CUDA_ERROR_ILLEGAL_ADDRESS[^]*process that runs the cells is replaced: all variables/
    );
    expect(traceback(reply)).toMatch(
      /Cell \[\d+\]:7:11[^]*arrays held on every device[^]*Run the cells again/
    );
    const next = await kernel.execute('[typeof kept, process.pid].join()');
    expect(next.result).toMatch(/^'undefined,\d+'$/);
    expect(next.result).not.toContain(first);
    const again = `import { ones } from 'stridelab'; ones(2, { device: 'rec' }).item(1)`;
    expect((await kernel.execute(again)).result).toBe('1');
  });

  test('as a cause counts too, and cells that do not stop for errors go to the new process', async () => {
    const cell = lose(`
      try { array.fill(1); } catch (cause) { throw new Error('no result', { cause }); }`);
    const broken = kernel.startExecution(cell, { stop_on_error: false });
    const after = kernel.startExecution('typeof kept');
    expect(String((await kernel.finish(broken)).reply['evalue'])).toMatch(/^no result\n.*is replaced/);
    expect((await kernel.finish(after)).result).toBe("'undefined'");
  });

  test('that a cell caught leaves it its variables', async () => {
    const { reply } = await kernel.execute(lose('try { array.fill(1); } catch { kept = 2; }'));
    expect(reply['status']).toBe('ok');
    expect((await kernel.execute('kept')).result).toBe('2');
    expect((await kernel.execute('array.fill(2)')).reply['ename']).toBe('DeviceLostError');
    expect((await kernel.execute('typeof kept')).result).toBe("'undefined'");
  });
});

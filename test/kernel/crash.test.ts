import { KernelClient } from './client.ts';

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

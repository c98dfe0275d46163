import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { helpRequest } from '../../kernel/front/requests/help-request.ts';
import { field, plain, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

describe('kernel_info', () => {
  test('returns what frontends need to show TypeScript, the same on both channels', async () => {
    const info = await kernel.request('kernel_info_request', {});
    expect(info).toMatchObject({
      status: 'ok',
      protocol_version: '5.6',
      implementation: 'stridelab',
      implementation_version: expect.stringMatching(/^\d+\.\d+\.\d+/) as unknown,
      banner: expect.stringContaining('TypeScript 7') as unknown,
      supported_features: expect.arrayContaining(['kernel subshells']) as unknown
    });
    expect(info['language_info']).toEqual({
      name: 'typescript',
      version: expect.stringMatching(/^7\./) as unknown,
      mimetype: 'text/typescript',
      file_extension: '.ts',
      pygments_lexer: 'typescript',
      codemirror_mode: 'text/typescript-jsx',
      nbconvert_exporter: 'script'
    });
    for (const { text, url } of info['help_links'] as { text: string; url: string }[]) {
      expect(text).not.toBe('');
      expect(new URL(url).protocol).toBe('https:');
    }
    expect(await kernel.request('kernel_info_request', {}, 'control')).toEqual(info);
  });
});

describe('usage_request', () => {
  test('returns processor and memory use of all the kernel’s processes, in the format of ipykernel', async () => {
    await kernel.execute('const block = Buffer.alloc(64 * 2 ** 20, 1); block.length');
    const before = await kernel.request('usage_request', {}, 'control');
    await kernel.execute('const until = Date.now() + 150; while (Date.now() < until);');
    const usage = await kernel.request('usage_request', {}, 'control');
    expect(usage).toMatchObject({
      status: 'ok',
      hostname: expect.any(String) as unknown,
      pid: kernel.child.pid,
      cpu_count: expect.any(Number) as unknown,
      host_cpu_percent: expect.any(Number) as unknown,
      host_virtual_memory: {
        total: expect.any(Number) as unknown,
        available: expect.any(Number) as unknown,
        percent: expect.any(Number) as unknown
      }
    });
    expect(before['kernel_cpu']).toBe(0);
    expect(usage['kernel_cpu']).toBeGreaterThan(0);
    // More than the front process alone uses.
    expect(usage['kernel_memory']).toBeGreaterThan(64 * 2 ** 20);
    expect(usage).not.toHaveProperty('gpu_memory');
  });

  test('includes devices once a cell has memory on one, and omits them while a cell computes', async () => {
    const { reply } = await kernel.execute(
      "import { zeros } from 'stridelab'; const array = zeros(1000, { device: 'sim' }); 0"
    );
    expect(reply['status']).toBe('ok');
    const { gpu_memory } = await kernel.request('usage_request', {}, 'control');
    expect(gpu_memory).toEqual([
      {
        device: 'sim:0',
        name: expect.any(String) as unknown,
        simulated: true,
        total: expect.any(Number) as unknown,
        used: expect.any(Number) as unknown
      }
    ]);
    const busy = kernel.startExecution("console.log('computing'); while (true) {}");
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === busy);
    const usage = await kernel.request('usage_request', {}, 'control');
    await kernel.request('interrupt_request', {}, 'control');
    await kernel.finish(busy);
    expect(usage).toMatchObject({ status: 'ok' });
    expect(usage).not.toHaveProperty('gpu_memory');
  });
});

describe('payloads', () => {
  test('a name with a question mark shows its documentation in the pager, and nothing runs', async () => {
    await kernel.execute('/** Adds a label. */ function label(text: string) { return text }');
    const { reply, messages } = await kernel.execute('label?');
    const [payload] = reply['payload'] as Content[];
    expect(payload).toMatchObject({ source: 'page', start: 0 });
    expect(plain(field(payload, 'data', 'text/plain'))).toMatch(
      /function label\(text: string\): string[^]*Adds a label/
    );
    expect(messages.map(({ type }) => type)).toEqual(['status', 'execute_input', 'status']);
    expect((await kernel.execute('?console.log')).reply['payload']).toHaveLength(1);
    expect((await kernel.execute("label('still there')")).result).toBe("'still there'");
  });

  test('an unknown name is reported', async () => {
    const { reply, stderr } = await kernel.execute('nothingOfThisName?');
    expect(reply).toMatchObject({ status: 'ok', payload: [] });
    expect(stderr).toBe('Object `nothingOfThisName` not found.\n');
  });

  test.each([
    ['x?', 'x'],
    [' Math.max?? ', 'Math.max'],
    ['?x', 'x'],
    ['a ? b : c', undefined],
    ['a?.b', undefined],
    ['f()?', undefined],
    ['x? // why', undefined],
    ['', undefined]
  ])('%j asks for %j', (code, name) => expect(helpRequest(code)?.name).toBe(name));

  test('cells page and set the next input; code that outlives its cell does not', async () => {
    const imports = "import { page, setNextInput } from 'stridelab/notebook';";
    const { reply } = await kernel.execute(
      `${imports} page('a'); page({ 'text/plain': 'b', 'text/html': '<b>' }); setNextInput('next', { replace: true });
      setTimeout(() => page('late'), 5); 0`
    );
    expect(reply['payload']).toEqual([
      { source: 'page', data: { 'text/plain': 'a' }, start: 0 },
      { source: 'page', data: { 'text/plain': 'b', 'text/html': '<b>' }, start: 0 },
      { source: 'set_next_input', text: 'next', replace: true }
    ]);
    expect((await kernel.execute('await new Promise(r => setTimeout(r, 20))')).reply['payload']).toEqual([]);
    expect((await kernel.execute(`${imports} page('x'); throw new Error('no')`)).reply).not.toHaveProperty(
      'payload'
    );
  });

  test('in a plain program they are printed', () => {
    const library = JSON.stringify(join(import.meta.dirname, '../../dist/src/notebook/index.js'));
    const program = `import { page, setNextInput } from ${library}; page('a'); page({ 'text/html': 'b' }); setNextInput('c')`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8'
    });
    expect(stdout).toBe('a\n\nc\n');
  });
});

describe('execute_request', () => {
  test('silent: nothing is shown, counted or stored, and the reply reports the outcome', async () => {
    const before = (await kernel.execute('1')).reply['execution_count'];
    const { reply, messages } = await kernel.execute("console.log('hidden'); 2", { silent: true });
    expect(reply).toMatchObject({ status: 'ok', execution_count: before });
    expect(messages.map(({ type }) => type)).toEqual(['status', 'status']);
    const failed = await kernel.execute("throw new Error('quiet')", { silent: true });
    expect(failed.reply).toMatchObject({ status: 'error', evalue: 'quiet' });
    expect(failed.messages.map(({ type }) => type)).toEqual(['status', 'status']);
  });

  test('a silent failure aborts nothing', async () => {
    const failing = kernel.startExecution("throw new Error('quiet')", { silent: true });
    const next = kernel.startExecution('3');
    await kernel.finish(failing);
    expect((await kernel.finish(next)).result).toBe('3');
  });

  test('store_history: a cell that is not stored is shown and not counted', async () => {
    const before = (await kernel.execute('1')).reply['execution_count'] as number;
    const { reply, result } = await kernel.execute('4', { store_history: false });
    expect([reply['execution_count'], result]).toEqual([before, '4']);
    expect((await kernel.execute('5')).reply['execution_count']).toBe(before + 1);
  });

  test("user_expressions: each has its own result or error, and sees the cell's variables", async () => {
    const { reply } = await kernel.execute('const made = 6', {
      user_expressions: {
        good: 'made * 7',
        bad: 'missing',
        worse: ')',
        awaits: 'await Promise.resolve(made)'
      }
    });
    const expressions = reply['user_expressions'] as Record<string, Content>;
    expect(expressions['good']).toEqual({ status: 'ok', data: expect.any(Object) as unknown, metadata: {} });
    expect(plain(field(expressions, 'good', 'data', 'text/plain'))).toBe('42');
    expect(plain(field(expressions, 'awaits', 'data', 'text/plain'))).toBe('6');
    expect(expressions['bad']).toMatchObject({ status: 'error', ename: 'ReferenceError' });
    expect(expressions['worse']).toMatchObject({ status: 'error', ename: 'SyntaxError' });
  });

  test('a failing cell has no expressions, and its error is reported once', async () => {
    const { reply, messages } = await kernel.execute("throw new TypeError('no')", {
      user_expressions: { a: '1' }
    });
    expect(reply).toMatchObject({ status: 'error', ename: 'TypeError', evalue: 'no' });
    expect(reply).not.toHaveProperty('user_expressions');
    expect(messages.map(({ type }) => type)).toEqual(['status', 'execute_input', 'error', 'status']);
  });
});

test('a message of an unknown type is wrapped in busy and idle, and has no reply', async () => {
  const id = kernel.send('shell', 'paint_request', {});
  await kernel.idle(id);
  const states = kernel.iopub
    .filter(({ parentId }) => parentId === id)
    .map(({ content }) => content['execution_state']);
  expect(states).toEqual(['busy', 'idle']);
});

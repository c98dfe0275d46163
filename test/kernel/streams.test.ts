import { join } from 'node:path';
import { until } from '../setup/until.ts';
import { traceback, WITHOUT_TYPES, type Execution } from './client.ts';
import { Page, pageText } from './drawn.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES);

/** Number of stream messages. Text is buffered for 20 ms, so that a slow machine sends more of them. */
const streams = ({ messages }: Execution): number => messages.filter(({ type }) => type === 'stream').length;
const most = (pieces: number, { seconds }: Timed): number => pieces + 50 * seconds;
const numbers = (count: number): string => Array.from({ length: count }, (_, i) => `${i}\n`).join('');

type Timed = Execution & { readonly seconds: number };

async function ok(code: string): Promise<Timed> {
  const began = performance.now();
  const execution = await kernel.execute(code);
  if (execution.reply['status'] !== 'ok') throw new Error(traceback(execution.reply));
  return { ...execution, seconds: (performance.now() - began) / 1_000 };
}

describe('large output', () => {
  test('of 100,000 lines arrives completely, in order and in few messages', async () => {
    const execution = await ok('for (let i = 0; i < 100_000; i++) console.log(String(i))');
    expect(execution.stdout).toBe(numbers(100_000));
    expect(streams(execution)).toBeLessThan(most(150, execution));
  });

  test('of 100 MB arrives completely while the kernel stays small', async () => {
    const { messages, id } = await ok(
      "const line = 'é'.repeat(500) + '\\n'; for (let i = 0; i < 100_000; i++) process.stdout.write(line)"
    );
    let length = 0;
    for (const { type, content } of messages)
      if (type === 'stream') length += (content['text'] as string).length;
    expect(length).toBe(501 * 100_000);
    const { stdout } = await ok(
      "const status = require('node:fs').readFileSync(`/proc/${process.ppid}/status`, 'utf8'); process.stdout.write(/VmHWM:\\s+(\\d+)/.exec(status)[1])"
    );
    expect(Number(stdout) / 1_024).toBeLessThan(400);
    // The client would keep these messages.
    kernel.iopub.splice(0, kernel.iopub.findLastIndex(({ parentId }) => parentId === id) + 1);
  });

  test('of one text of 10 MB, of two alternating streams, and of two cells at the same time arrives completely', async () => {
    const { stdout } = await ok("process.stdout.write('日本語'.repeat(1_200_000))");
    expect(stdout).toBe('日本語'.repeat(1_200_000));
    const turns = await ok(
      'for (let i = 0; i < 2_000; i++) { console.log(String(i)); console.error(String(i)); }'
    );
    expect([turns.stdout, turns.stderr]).toEqual([numbers(2_000), numbers(2_000)]);
    expect(streams(turns)).toBeLessThan(most(450, turns));
    const early = await ok(
      "let left = 500; const again = () => { console.log('old'); if (--left > 0) setImmediate(again); }; setImmediate(again); 0"
    );
    const late = await ok(
      "for (let i = 0; i < 500; i++) { console.log('new'); await new Promise(resolve => setImmediate(resolve)); }"
    );
    expect(late.stdout).toBe('new\n'.repeat(500));
    const old = (): string =>
      kernel.iopub
        .filter(({ type, parentId }) => type === 'stream' && parentId === early.id)
        .map(({ content }) => content['text'])
        .join('');
    await until(() => old().length >= 2_000);
    expect(old()).toBe('old\n'.repeat(500));
  });

  test('of thousands of displays stays below what the server drops, and an interrupt does not wait for it', async () => {
    const id = kernel.startExecution('for (let i = 0; ; i++) display(i)');
    const began = performance.now();
    const shown = (): number =>
      kernel.iopub.filter(({ type, parentId }) => type === 'display_data' && parentId === id).length;
    await until(() => shown() >= 1_200);
    const seconds = (performance.now() - began) / 1_000;
    expect(shown()).toBeLessThan(900 + 690 * (seconds + 1));
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply['ename']).toBe('Interrupted');
  });
});

describe('lines that overwrite themselves', () => {
  test('are collapsed, and the last state arrives', async () => {
    const execution = await ok(
      "for (let i = 0; i <= 50_000; i++) process.stdout.write(`\\r\\x1b[32m${i}\\x1b[39m of 50000`); console.log(' done')"
    );
    expect(pageText(execution.stdout)).toBe('50000 of 50000 done\n');
    expect(execution.stdout.length).toBeLessThan(5_000);
    expect(streams(execution)).toBeLessThan(most(50, execution));
  });

  test('and others above them are one display, below what was printed before and above what is displayed later', async () => {
    const execution = await ok(`
      console.log('before');
      process.stderr.write('\\x1b[?25l');
      for (let i = 0; i <= 20_000; i++) {
        if (i > 0) { process.stdout.moveCursor(0, -2); process.stdout.cursorTo(0); process.stdout.clearScreenDown(); }
        process.stdout.write(\`a \${i}\\nb \${i}\\n\`);
      }
      process.stderr.write('\\x1b[?25h');
      display('displayed');
      console.log('after');`);
    const page = new Page();
    for (const { type, content } of execution.messages)
      if (/^stream$|display_data$/.test(type)) page.take(type, content);
    expect(page.outputs).toEqual([
      'stdout: before\n',
      'drawing: a 20000\nb 20000',
      "drawing: 'displayed'",
      'stdout: after\n'
    ]);
    expect(page.messages).toBeLessThan(most(50, execution));
  });
});

test('console.clear clears with the next output, and libraries find the class of consoles', async () => {
  const { messages, stdout } = await ok(
    "console.log('a'); console.clear(); new console.Console(process.stdout).log('b')"
  );
  expect(stdout).toBe('a\nb\n');
  expect(messages.filter(({ type }) => type === 'clear_output').map(({ content }) => content)).toEqual([
    { wait: true }
  ]);
});

describe('output that does not pass through JavaScript', () => {
  test('of child programs and descriptors is shown in the running cell, in whole characters', async () => {
    const { stdout, stderr } = await ok(`
      const { execSync, spawn } = require('node:child_process');
      const { writeSync } = require('node:fs');
      execSync('echo inherited; echo wrong >&2', { stdio: 'inherit' });
      const bytes = Buffer.from('日本');
      for (const byte of bytes) writeSync(1, Buffer.from([byte]));
      await new Promise(resolve => spawn('echo', ['later'], { stdio: 'inherit' }).on('close', resolve));
      await new Promise(resolve => spawn('echo', ['piped ✓']).stdout.pipe(process.stdout, { end: false }).on('unpipe', resolve));`);
    expect(stdout).toContain('inherited\n');
    expect(stdout).toContain('日本');
    expect(stdout).toContain('later\n');
    expect(stdout).toContain('piped ✓\n');
    expect(stderr).toBe('wrong\n');
  });

  test("is interleaved with JavaScript's output in the order of printing", async () => {
    const execution = await ok(`
      const { execSync: run } = require('node:child_process');
      for (const i of [1, 2, 3]) {
        console.log('js ' + i);
        run('echo out ' + i + '; echo err ' + i + ' >&2', { stdio: 'inherit' });
        display(html(String(i)));
      }`);
    // Two descriptors are not ordered relative to each other; JavaScript's prints and displays are ordered on each.
    const between: Record<string, string>[] = [];
    let texts: Record<string, string> = { stdout: '', stderr: '' };
    for (const { type, content } of execution.messages) {
      if (type === 'stream') texts[String(content['name'])] += String(content['text']);
      if (type !== 'display_data') continue;
      between.push(texts);
      texts = { stdout: '', stderr: '' };
    }
    expect(between).toEqual([1, 2, 3].map(i => ({ stdout: `js ${i}\nout ${i}\n`, stderr: `err ${i}\n` })));
  });

  test('continues when a program replaces the descriptors', async () => {
    const { stdout } = await ok(`
      const fs = require('node:fs');
      fs.closeSync(2);
      console.log('still here');
      const taken = fs.openSync('taken.txt', 'w');
      console.error('and here');
      fs.readFileSync('taken.txt', 'utf8')`);
    expect(stdout).toBe('still here\n');
    const { result, stderr } = await ok(
      "console.error('later'); [taken, fs.readFileSync('taken.txt', 'utf8')].join()"
    );
    expect([result, stderr]).toEqual(["'2,'", 'later\n']);
    await kernel.execute('process.exit()');
  });

  test('of worker threads belongs to their cell', async () => {
    const { stdout, stderr } = await ok(`
      import { Worker } from 'node:worker_threads';
      const worker = new Worker("console.log('from a thread'); console.error('wrong there')", { eval: true });
      await new Promise(resolve => worker.on('exit', resolve));
      await new Promise(resolve => setTimeout(resolve, 20));`);
    expect([stdout, stderr]).toEqual(['from a thread\n', 'wrong there\n']);
  });
});

describe('process.stdout', () => {
  test('is a terminal, calls back, and accepts bytes in chunks', async () => {
    const { stdout } = await ok(`
      const { stdout } = process;
      const facts = [stdout.isTTY, stdout.columns, stdout.hasColors(), stdout.getColorDepth(), stdout.hasColors(2 ** 24)];
      await new Promise(resolve => stdout.write('a', 'utf8', resolve));
      await new Promise(resolve => stdout.cursorTo(0, resolve));
      await new Promise(resolve => stdout.clearLine(0, resolve));
      await new Promise(resolve => stdout.moveCursor(0, 0, resolve));
      await new Promise(resolve => stdout.clearScreenDown(resolve));
      stdout.write('bc'); stdout.moveCursor(-1, 0);
      const heart = Buffer.from('♥');
      stdout.write(heart.subarray(0, 1)); stdout.write(heart.subarray(1));
      stdout.write('2661', 'hex');
      stdout.end('!');
      console.log(JSON.stringify(facts), process.env.FORCE_COLOR, process.env.TERM !== undefined);
      try { stdout.write(5); } catch (error) { console.log(error.message); }`);
    expect(pageText(stdout)).toBe(
      'b♥&a![true,100,true,24,true] 3 true\nThe chunk to write must be text or bytes, not number\n'
    );
  });
});

describe('output before a sudden exit is kept to the last byte', () => {
  const LINES = 'for (let i = 0; i < 5_000; i++) console.log(String(i));';
  const native = join(import.meta.dirname, '../../native/build/Release/stridelab.node');

  test.each([
    ['', 'process.exit(1)'],
    ['', "process.kill(process.pid, 'SIGKILL')"],
    ['', 'process.abort()'],
    // A fault in native code, of which JavaScript is not notified.
    [`require(${JSON.stringify(native)});`, 'process._kill(process.pid, 11)']
  ])('%s %s', async (before, end) => {
    const { stdout, reply } = await kernel.execute(`${before} ${LINES} ${end}; while (true) {}`);
    expect(reply['ename']).toBe('ExecutorDied');
    expect(stdout).toBe(numbers(5_000));
  });
});

test('held text is sent while the cell is busy', async () => {
  const id = kernel.startExecution(
    `${'for (let i = 0; i < 1_000; i++) console.log(String(i));'} while (true) {}`
  );
  await kernel.published(
    ({ type, parentId, content }) =>
      type === 'stream' && parentId === id && String(content['text']).endsWith('999\n')
  );
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).stdout).toBe(numbers(1_000));
});

test('output of 100,000 lines takes few writes, until a cell loads native code that may end the process', async () => {
  const written = async (): Promise<number> => {
    const { stdout } = await ok(`{
      const writes = () => Number(/syscw: (\\d+)/.exec(require('node:fs').readFileSync('/proc/self/io', 'latin1'))[1]);
      const before = writes();
      for (let i = 0; i < 100_000; i++) console.log('line');
      const after = writes();
      console.log('writes', after - before);
    }`);
    return Number(stdout.slice(stdout.lastIndexOf(' ')));
  };
  expect(await written()).toBeLessThan(20_000);
  await ok("(await import('stridelab')).empty([1])");
  expect(await written()).toBeGreaterThanOrEqual(100_000);
});

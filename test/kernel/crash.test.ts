import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { PROGRAM_ENDED } from '../../src/pictures/kit/live-messages.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { until } from '../setup/until.ts';
import { KernelClient, traceback } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel();

async function ended(pid: number): Promise<void> {
  // A zombie waits for its parent to read its status.
  await until(
    () => !existsSync(`/proc/${pid}`) || /\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  );
}

test.each([
  ['process.exit(3)', /ended with exit code 3 in Cell \[\d+\]/],
  [
    'process.abort()',
    /terminated by signal SIGABRT \(native code or process\.abort\(\) aborted the process\)/
  ],
  [
    "process.kill(process.pid, 'SIGSEGV'); while (true) {}",
    /SIGSEGV \(native code accessed memory that it may not/
  ],
  [
    "process.kill(process.pid, 'SIGKILL'); while (true) {}",
    /SIGKILL \(another process killed it, or the system/
  ],
  ['process.kill(process.pid); await new Promise(() => {})', /terminated by signal SIGTERM in/]
])('%s ends the cell and the variables, and the kernel continues', async (code, how) => {
  await kernel.execute('let before = 1, other = 2');
  const { reply, stdout } = await kernel.execute(`console.log('last words'); ${code}`);
  expect(reply).toMatchObject({ status: 'error', ename: 'ExecutorDied' });
  expect(reply['evalue']).toMatch(how);
  expect(reply['evalue']).toMatch(/: 2 variables lost; a new process was started$/);
  expect(stdout).toBe('last words\n');
  expect((await kernel.execute('typeof before')).result).toBe("'undefined'");
});

test.each([
  ['endless recursion', 'function f() { f() }\nf()'],
  ['recursion in a getter', 'const o = { get x() { return o.x } };\no.x'],
  ['an array that no memory holds', 'new Float64Array(2 ** 40)']
])('%s is an error that leaves the variables', async (_, code) => {
  await kernel.execute('let kept = 42');
  expect((await kernel.execute(code)).reply).toMatchObject({ status: 'error', ename: 'RangeError' });
  expect((await kernel.execute('kept')).result).toBe('42');
});

test('queued cells are aborted, or run in the new process if they do not stop on errors', async () => {
  const crash = kernel.startExecution('process.exit(5)');
  const aborted = kernel.startExecution('1');
  expect((await kernel.finish(crash)).reply).toMatchObject({ ename: 'ExecutorDied' });
  expect((await kernel.finish(aborted)).reply).toMatchObject({ ename: 'Aborted' });
  const again = kernel.startExecution('process.exit(5)', { stop_on_error: false });
  const next = kernel.startExecution('1');
  await kernel.finish(again);
  expect((await kernel.finish(next)).result).toBe('1');
});

test('programs that cells started end with their process', async () => {
  await kernel.execute("const { pid } = require('node:child_process').spawn('sleep', ['60'])");
  const pid = Number((await kernel.execute('pid')).result);
  await kernel.execute('process.abort()');
  await expect(ended(pid)).resolves.toBeUndefined();
});

test('an exceeded heap limit names the limit and its setting', async () => {
  const small = await KernelClient.start('tcp', { STRIDELAB_HEAP_MIB: '40' });
  try {
    const { reply } = await small.execute(
      'const all = []; while (true) all.push(new Array(1000).fill(all.length));'
    );
    expect(reply['evalue']).toMatch(
      /ran out of memory, because its heap reached its limit of \d+ MiB \(STRIDELAB_HEAP_MIB in the kernel's environment sets another\)/
    );
    expect((await small.execute('1')).result).toBe('1');
  } finally {
    await small.close();
  }
}, 15_000);

test('a process that cannot start is reported by each cell, and not restarted repeatedly', async () => {
  const bin = temporaryFolder();
  const preload = join(bin, 'preload.cjs');
  writeFileSync(
    preload,
    `if (process.argv[1]?.includes('executor')) {
    require('node:fs').appendFileSync(__dirname + '/starts', 'x');
    process.exit(9);
  }`
  );
  const broken = await KernelClient.start('tcp', { NODE_OPTIONS: `--require ${preload}` });
  try {
    // The first one has exited, and its status has been read.
    const { pid } = broken.child;
    const children = `/proc/${pid}/task/${pid}/children`;
    await until(() => existsSync(join(bin, 'starts')) && readFileSync(children, 'utf8').trim() === '');
    for (const count of [2, 3]) {
      const { reply } = await broken.execute('1');
      expect(reply['evalue']).toMatch(/exit code 9 .*the next cell starts a new process$/);
      expect(readFileSync(join(bin, 'starts'), 'utf8').length).toBe(count);
    }
  } finally {
    await broken.close();
  }
});

test('an exit between cells is reported on stderr', async () => {
  await kernel.execute('setTimeout(() => process.exit(4), 30); 0;');
  const { content } = await kernel.published(
    ({ type, content }) => type === 'stream' && String(content['text']).includes('exit code 4')
  );
  expect(content['name']).toBe('stderr');
  expect((await kernel.execute('1')).result).toBe('1');
});

test('comms close with their process', async () => {
  const id = kernel.send('shell', 'comm_open', {
    comm_id: 'c',
    target_name: 'jupyter.widget.control',
    data: {}
  });
  await kernel.idle(id);
  expect((await kernel.request('comm_info_request', {}))['comms']).toHaveProperty('c');
  const { reply } = await kernel.execute('process.exit()');
  expect(reply['evalue']).toMatch(/ and \d+ widgets? lost/);
  const { content } = await kernel.published(
    message => message.type === 'comm_close' && message.content['comm_id'] === 'c'
  );
  expect(content['data']).toEqual(PROGRAM_ENDED);
  expect((await kernel.request('comm_info_request', {}))['comms']).toEqual({});
});

describe('a lost device', () => {
  const library = join(import.meta.dirname, '../../dist/src');
  /** A cell after which every call of the recording device returns CUDA_ERROR_ILLEGAL_ADDRESS. */
  const lose = (then: string): string => `
    const { native } = await import(${JSON.stringify(join(library, 'native/load.js'))});
    const { zeros } = await import('stridelab');
    const array = zeros(4, { device: 'rec' });
    let kept = 1;
    native().recording.fail('*', 700, -1);
    ${then}`;

  test('ends the cell with a list of what was lost, and the next cell runs in a new process', async () => {
    const first = (await kernel.execute('process.pid')).result;
    const { reply } = await kernel.execute(lose('array.fill(1);'));
    expect(reply).toMatchObject({ status: 'error', ename: 'DeviceLostError' });
    expect(reply['evalue']).toMatch(
      /CUDA_ERROR_ILLEGAL_ADDRESS[^]*replaces the process that runs the cells: all variables/
    );
    expect(traceback(reply)).toMatch(
      /Cell \[\d+\]:7:11[^]*contents of arrays on every device[^]*Run the cells again/
    );
    const next = await kernel.execute('[typeof kept, process.pid].join()');
    expect(next.result).toMatch(/^'undefined,\d+'$/);
    expect(next.result).not.toContain(first);
    const again = `import { ones } from 'stridelab'; ones(2, { device: 'rec' }).item(1)`;
    expect((await kernel.execute(again)).result).toBe('1');
  });

  test('counts as a cause too, and cells that do not stop on errors run in the new process', async () => {
    const cell = lose(`
      try { array.fill(1); } catch (cause) { throw new Error('no result', { cause }); }`);
    const broken = kernel.startExecution(cell, { stop_on_error: false });
    const after = kernel.startExecution('typeof kept');
    expect(String((await kernel.finish(broken)).reply['evalue'])).toMatch(
      /^no result\nThe kernel replaces the process/
    );
    expect((await kernel.finish(after)).result).toBe("'undefined'");
  });

  test('that a cell caught leaves the variables', async () => {
    const { reply } = await kernel.execute(lose('try { array.fill(1); } catch { kept = 2; }'));
    expect(reply['status']).toBe('ok');
    expect((await kernel.execute('kept')).result).toBe('2');
    expect((await kernel.execute('array.fill(2)')).reply['ename']).toBe('DeviceLostError');
    expect((await kernel.execute('typeof kept')).result).toBe("'undefined'");
  });
});

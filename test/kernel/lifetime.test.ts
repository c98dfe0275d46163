import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { KERNEL_MAIN, KernelClient } from './client.ts';
import { pass, until } from '../setup/until.ts';

let kernel: KernelClient;
beforeEach(async () => {
  kernel = await KernelClient.start();
});
afterEach(() => kernel.close());

const shutdown = (options = {}): Promise<object> =>
  kernel.request('shutdown_request', { restart: false, ...options }, 'control');

async function exited(): Promise<unknown> {
  if (kernel.child.exitCode === null && kernel.child.signalCode === null) await once(kernel.child, 'exit');
  return kernel.child.exitCode ?? kernel.child.signalCode;
}

function alive(pid: number): boolean {
  try {
    // A zombie whose parent has exited waits to be reaped.
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

async function gone(...pids: number[]): Promise<void> {
  await until(() => !pids.some(alive));
}

/** The front, the executor, the TypeScript server and a program that a cell left running. */
async function family(): Promise<number[]> {
  const { result } = await kernel.execute(`
    const child = require('node:child_process').spawn('sleep', ['60']);
    [process.pid, child.pid].join()`);
  await kernel.request('complete_request', { code: 'chi', cursor_pos: 3 });
  const front = kernel.child.pid!;
  const children = readFileSync(`/proc/${front}/task/${front}/children`, 'utf8').trim().split(' ');
  return [...new Set([...children, ...result!.replaceAll("'", '').split(',')].map(Number))];
}

describe('shutdown', () => {
  test('runs the exit handlers of cells to completion, and ends what they started', async () => {
    const pids = await family();
    expect(pids.length).toBe(3);
    await kernel.execute(`
      const { appendFileSync } = require('node:fs');
      setInterval(() => {}, 1000);
      process.on('beforeExit', async () => {
        appendFileSync('log', 'before ');
        await new Promise(r => setTimeout(r, 100));
        appendFileSync('log', 'awaited ');
      });
      process.on('exit', code => appendFileSync('log', 'exit ' + code));`);
    expect(await shutdown()).toEqual({ status: 'ok', restart: false });
    expect(await exited()).toBe(0);
    expect(readFileSync(join(kernel.folder, 'log'), 'utf8')).toBe('before awaited exit 0');
    await gone(...pids);
  });

  test('stops a cell in a loop first, so that its handlers run too', async () => {
    const id = kernel.startExecution(`
      process.on('exit', () => require('node:fs').writeFileSync('log', 'bye'));
      console.log('begun');
      while (true) {}`);
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
    expect(await shutdown({ restart: true })).toEqual({ status: 'ok', restart: true });
    expect(await exited()).toBe(0);
    expect(readFileSync(join(kernel.folder, 'log'), 'utf8')).toBe('bye');
  });

  test('does not wait for native code, endless handlers or programs that ignore signals', async () => {
    const { result } = await kernel.execute(`
      process.on('exit', () => { while (true) {} });
      require('node:child_process').spawn('sh', ['-c', "trap '' TERM INT HUP; echo ready; while true; do sleep 1; done"]).pid`);
    await pass(100, 'the program sets its traps');
    await shutdown();
    expect(await exited()).toBe(0);
    await gone(Number(result));
  }, 15_000);

  test('requested twice, and while it starts, is one shutdown', async () => {
    await Promise.race([shutdown(), shutdown()]);
    expect(await exited()).toBe(0);
  });
});

test.each(['SIGTERM', 'SIGHUP'] as const)('%s shuts the kernel down in order', async signal => {
  await kernel.execute("process.on('exit', () => require('node:fs').writeFileSync('log', 'bye')); 0;");
  kernel.child.kill(signal);
  expect(await exited()).toBe(0);
  expect(readFileSync(join(kernel.folder, 'log'), 'utf8')).toBe('bye');
});

test.each([
  ['idle', '0;'],
  ['in a loop', 'while (true) {}']
])(
  'no process is left when the kernel is killed while a cell is %s',
  async (_, code) => {
    const pids = await family();
    await kernel.execute("process.on('exit', () => require('node:fs').writeFileSync('log', 'bye')); 0;");
    const id = kernel.startExecution(`console.log('begun');\n${code}`);
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
    kernel.child.kill('SIGKILL');
    await gone(...pids);
    expect(existsSync(join(kernel.folder, 'log'))).toBe(code === '0;');
  },
  15_000
);

test('the kernel exits when the process that started it has exited', async () => {
  const file = join(kernel.folder, 'connection.json');
  const ports = JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>;
  await shutdown();
  await exited();
  const script = `
    const { spawn } = require('node:child_process');
    const kernel = spawn(process.execPath, [${JSON.stringify(KERNEL_MAIN)}, ${JSON.stringify(file)}], { stdio: 'ignore' });
    console.log(kernel.pid);
    // Once it listens it knows its parent.
    const look = () => require('node:net').connect(${ports['shell_port']}, '127.0.0.1')
      .on('connect', () => process.kill(process.pid, 'SIGKILL'))
      .on('error', () => setTimeout(look, 10));
    look();`;
  const starter = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [pid] = (await once(starter.stdout, 'data')) as [Buffer];
  expect(alive(Number(pid))).toBe(true);
  await gone(Number(pid));
}, 15_000);

test('the files of IPC sockets are removed', async () => {
  await kernel.close();
  kernel = await KernelClient.start('ipc');
  const files = (): string[] => readdirSync(kernel.folder).filter(name => name.startsWith('kernel-ipc'));
  expect(files().length).toBe(5);
  await shutdown();
  await exited();
  expect(files()).toEqual([]);
});

import { jest } from '@jest/globals';
import { EventEmitter, once } from 'node:events';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import {
  createMessageConnection,
  ResponseError,
  StreamMessageReader,
  StreamMessageWriter,
  type MessageConnection
} from 'vscode-jsonrpc/node';
import { removeAbandoned } from '../../../kernel/front/typescript/scratch.ts';
import type { ServerSession } from '../../../kernel/front/typescript/native-server.ts';
import { SupervisedServer } from '../../../kernel/front/typescript/supervised-server.ts';
import { KernelClient, type Content } from '../client.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

// The machine may be busy.
jest.setTimeout(60_000);

/** A server controlled by the test. */
class FakeServer extends EventEmitter<{ end: [Error] }> {
  readonly session: ServerSession;
  readonly remote: MessageConnection;
  readonly heard: string[] = [];

  constructor(life: number) {
    super();
    const [there, back] = [new PassThrough(), new PassThrough()];
    const connection = createMessageConnection(new StreamMessageReader(back), new StreamMessageWriter(there));
    this.remote = createMessageConnection(new StreamMessageReader(there), new StreamMessageWriter(back));
    const ended = new Promise<never>((_, reject) => this.once('end', reject));
    ended.catch(() => undefined);
    this.session = { connection, ended, kill: () => this.emit('end', new Error('was killed')) };
    this.remote.onNotification((method, parameters) => {
      const { textDocument } = parameters as { textDocument?: { uri: string; version?: number } };
      this.heard.push(`${method} ${textDocument?.uri.split('/').at(-1) ?? ''}`.trim());
    });
    this.remote.onRequest('echo', (value: object) => value);
    this.remote.onRequest('hang', () => new Promise(() => {}));
    this.remote.onRequest('hang in the first life', (value: object) =>
      life > 1 ? value : new Promise(() => {})
    );
    this.remote.onRequest('hang in four lives', (value: object) =>
      life > 4 ? value : new Promise(() => {})
    );
    this.remote.onRequest('fail', () => new ResponseError(1, 'not today'));
    this.remote.onRequest('die', () => {
      this.emit('end', new Error('died of it'));
      return new Promise(() => {});
    });
    connection.listen();
    this.remote.listen();
  }
}

function supervised(deadline?: number): { server: SupervisedServer; fakes: FakeServer[] } {
  const fakes: FakeServer[] = [];
  const start = (): Promise<ServerSession> => {
    fakes.push(new FakeServer(fakes.length + 1));
    return Promise.resolve(fakes.at(-1)!.session);
  };
  return { server: new SupervisedServer('/folder', start, deadline), fakes };
}

test('documents are opened when a request needs them, updated when they changed, and opened again in a new server', async () => {
  const { server, fakes } = supervised();
  server.write('a.ts', 'a');
  server.write('b.ts', 'b');
  expect(await server.request('echo', { q: 1 }, ['a.ts'])).toEqual({ q: 1 });
  server.write('a.ts', 'a2');
  await server.request('echo', {}, ['a.ts', 'b.ts']);
  await server.request('echo', {}, ['a.ts', 'b.ts']);
  server.remove('b.ts');
  await server.request('echo', {}, ['a.ts', 'b.ts']);
  expect(fakes[0]!.heard).toEqual([
    'textDocument/didOpen a.ts',
    'textDocument/didChange a.ts',
    'textDocument/didOpen b.ts',
    'textDocument/didClose b.ts'
  ]);
  fakes[0]!.emit('end', new Error('gone'));
  await server.request('echo', {}, ['a.ts', 'b.ts']);
  expect(fakes[1]!.heard).toEqual(['textDocument/didOpen a.ts']);
});

test('a server that was started early is the one that answers, and a failed start is reported by the question', async () => {
  const { server, fakes } = supervised();
  server.start();
  server.start();
  expect(fakes.length).toBe(1);
  expect(await server.request('echo', { q: 1 }, [])).toEqual({ q: 1 });
  expect(fakes.length).toBe(1);
  server.stop();

  let starts = 0;
  const failing = new SupervisedServer('/folder', () =>
    Promise.reject(new Error(`failure ${(starts += 1)}`))
  );
  failing.start();
  await expect(failing.request('echo', {}, [])).rejects.toThrow('cannot be started (failure 1)');
  await expect(failing.request('echo', {}, [])).rejects.toThrow('cannot be started (failure 2)');
});

test('earlier cells are stored on disk for a new server, in a folder that is removed with the kernel or by a later one', async () => {
  const { server, fakes } = supervised();
  server.write('cell.ts', 'one', true);
  await server.request('echo', {}, ['cell.ts']);
  expect(fakes[0]!.heard).toEqual([]);
  expect(readFileSync(join(server.scratchFolder, 'cell.ts'), 'utf8')).toBe('one');
  expect(statSync(server.scratchFolder).mode & 0o777).toBe(0o700);
  server.remove('cell.ts');
  expect(readdirSync(server.scratchFolder)).toEqual([]);
  server.write('cell.ts', 'two', true);
  await server.request('echo', {}, ['cell.ts']);

  const killed = spawnSync(process.execPath, ['-e', '']).pid;
  const abandoned = join(tmpdir(), `stridelab-cells-${killed}-of-a-test`);
  mkdirSync(abandoned);
  removeAbandoned();
  expect(existsSync(abandoned)).toBe(false);
  expect(existsSync(server.scratchFolder)).toBe(true);
  server.stop();
  expect(existsSync(server.scratchFolder)).toBe(false);
});

test('an error response of the server is returned; nothing is restarted', async () => {
  const { server, fakes } = supervised();
  await expect(server.request('fail', {}, [])).rejects.toThrow('not today');
  expect(fakes).toHaveLength(1);
});

test('a request is repeated once when its server exits, however often servers exited before', async () => {
  const { server, fakes } = supervised();
  for (const count of [2, 4, 6]) {
    await expect(server.request('die', {}, [])).rejects.toThrow('TypeScript 7 died of it');
    expect(fakes).toHaveLength(count);
  }
  expect(await server.request('echo', {}, [])).toEqual({});
});

test("a connection that closes before the server's exit was noticed counts as an exit too", async () => {
  const { server, fakes } = supervised();
  await server.request('echo', {}, []);
  fakes[0]!.session.connection.dispose();
  server.write('a.ts', 'a');
  expect(await server.request('echo', { q: 1 }, ['a.ts'])).toEqual({ q: 1 });
  expect(fakes).toHaveLength(2);
  expect(fakes[1]!.heard).toEqual(['textDocument/didOpen a.ts']);
});

// An unhandled rejection, which would end the kernel, fails a test here.
test('a server that exits while a second request waits for the first: both are repeated', async () => {
  const { server, fakes } = supervised();
  const questions = ['first', 'second'].map(q => server.request('hang in the first life', { q }, []));
  await new Promise(setImmediate);
  const [first] = fakes as [FakeServer];
  first.emit('end', new Error('was ended by SIGKILL'));
  first.session.connection.dispose();
  expect(await Promise.all(questions)).toEqual([{ q: 'first' }, { q: 'second' }]);
});

test('a request survives every restart that the kernel orders, also that of a server that is starting', async () => {
  const { server, fakes } = supervised();
  const answer = server.request('hang in four lives', { q: 1 }, []);
  const ends: number[] = [];
  for (const life of [1, 2, 3, 4]) {
    while (fakes.length < life) await new Promise(setImmediate);
    fakes[life - 1]!.once('end', () => ends.push(life));
    server.restart();
  }
  expect(await answer).toEqual({ q: 1 });
  expect(ends).toEqual([1, 2, 3, 4]);
  expect(fakes).toHaveLength(5);
});

test('a server that does not respond is replaced', async () => {
  const { server, fakes } = supervised(500);
  await expect(server.request('hang', {}, [])).rejects.toThrow('gave no answer for 0.5 s');
  expect(await server.request('echo', {}, [])).toEqual({});
  expect(fakes.length).toBeGreaterThan(1);
});

test('a server that cannot be started reports why, and is tried again by the next request', async () => {
  const fake = new FakeServer(1);
  const start = jest.fn(() => Promise.resolve(fake.session)).mockRejectedValueOnce(new Error('no such file'));
  const server = new SupervisedServer('/folder', start);
  await expect(server.request('echo', {}, [])).rejects.toThrow(
    'TypeScript 7 cannot be started (no such file): run npm run build to install the packages again'
  );
  expect(await server.request('echo', { a: 1 }, [])).toEqual({ a: 1 });
});

/** Loaded into every process of a kernel: TypeScript's binary for this platform is not installed. */
const NO_TYPESCRIPT = `
import { registerHooks } from 'node:module';
registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('@typescript/typescript-')) throw new Error('not installed');
    return next(specifier, context);
  }
});`;

/** The native servers of a kernel. */
function servers(pid: number): number[] {
  const pids = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter(Boolean)
    .map(Number);
  return pids.filter(child => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('--lsp'));
}

test('a kernel whose server is killed repeatedly starts another one for each request', async () => {
  const kernel = await KernelClient.start();
  const complete = async (): Promise<Content> =>
    kernel.request('complete_request', { code: 'kept.', cursor_pos: 5 });
  try {
    await kernel.execute('const first = { member: 1 }');
    await kernel.execute('let kept = first');
    for (let deaths = 0; deaths < 4; deaths++) {
      expect(await complete()).toMatchObject({ matches: ['member'] });
      const [server] = servers(kernel.child.pid!);
      process.kill(server!, 'SIGKILL');
    }
    expect(await complete()).toMatchObject({ matches: ['member'] });
  } finally {
    const ended = once(kernel.child, 'exit');
    kernel.child.kill('SIGTERM');
    await ended;
    await kernel.close();
  }
});

test('a kernel without a server runs its cells, and reports once why their types are not checked', async () => {
  const empty = temporaryFolder();
  const broken = join(empty, 'no-exec.mjs');
  writeFileSync(broken, NO_TYPESCRIPT);
  process.env['NODE_OPTIONS'] = `--import ${broken}`;
  const kernel = await KernelClient.start().finally(() => delete process.env['NODE_OPTIONS']);
  try {
    for (const code of ['1 + 1', '2 + 2']) {
      const { reply } = await kernel.execute(code);
      expect(reply['status']).toBe('ok');
    }
    await kernel.published(
      ({ type, content }) =>
        type === 'stream' &&
        String(content['text']).includes('The types cannot be checked: TypeScript 7 cannot be started (')
    );
  } finally {
    await kernel.close();
  }
});

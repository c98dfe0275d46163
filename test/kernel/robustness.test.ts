import { randomBytes } from 'node:crypto';
import { pass } from '../setup/until.ts';
import { connect } from 'node:net';
import { field, signedFrames, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { Peer } from './peer.ts';

withKernel();
beforeAll(async () => {
  await kernel.execute('const kept = 42');
});
/** After any input the processes are the same, and cells run. */
afterEach(async () => {
  expect(kernel.child.exitCode).toBeNull();
  expect((await kernel.execute('kept')).result).toBe('42');
});

const HEADER = JSON.stringify({
  msg_id: 'm',
  msg_type: 'kernel_info_request',
  session: 's',
  username: '',
  date: ''
});
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
/** Sends frames unchanged, and waits until the requests behind them have been handled; returns the ids of these. */
async function sendRaw(...messages: (string | Uint8Array)[][]): Promise<string[]> {
  for (const channel of ['shell', 'control', 'stdin'] as const)
    for (const frames of messages) kernel.sendRaw(channel, frames);
  const behind = (['shell', 'control'] as const).map(channel =>
    kernel.send(channel, 'kernel_info_request', {})
  );
  for (const id of behind) await kernel.idle(id);
  return behind;
}

test('malformed frames are dropped on every channel', async () => {
  const before = kernel.iopub.length;
  const behind = await sendRaw(
    [''],
    ['no delimiter', 'at all'],
    ['<IDS|MSG>'],
    ['<IDS|MSG>', 'short', '{}'],
    ['<IDS|MSG>', '', '{}', '{}', '{}', '{}'],
    ['<IDS|MSG>', '0'.repeat(64), HEADER, '{}', '{}', '{}'],
    ['<IDS|MSG>', 'x'.repeat(1_000_000), HEADER, '{}', '{}', '{}'],
    Array.from({ length: 500 }, () => '<IDS|MSG>'),
    signedFrames(['', '', '', '']),
    signedFrames(['{', '{}', '{}', '{}']),
    signedFrames(['null', '{}', '{}', '{}']),
    signedFrames(['[]', '{}', '{}', '{}']),
    signedFrames(['{}', '{}', '{}', '{}']),
    signedFrames(['{"msg_id":1,"msg_type":"x"}', '{}', '{}', '{}']),
    signedFrames(['{"msg_id":"1","msg_type":{}}', '{}', '{}', '{}']),
    signedFrames([HEADER, '{}', '{}', '[]']),
    signedFrames([HEADER, '{}', '"text"', '{}']),
    signedFrames([HEADER, '7', '{}', '{}']),
    signedFrames([HEADER, '{}', '{}', '{"a":NaN}']),
    ...Array.from({ length: 50 }, () => [randomBytes(40), randomBytes(4_000)]),
    ...Array.from({ length: 50 }, () => ['<IDS|MSG>', ...Array.from({ length: 6 }, () => randomBytes(100))])
  );
  const handled = new Set(kernel.iopub.slice(before).map(({ parentId }) => parentId));
  expect([...handled].sort()).toEqual(behind.sort());
});

test('a replayed message is not handled again, on any channel', async () => {
  let copy: (string | Uint8Array)[] = [];
  const id = kernel.send(
    'shell',
    'execute_request',
    { code: 'globalThis.times = (globalThis.times ?? 0) + 1' },
    [],
    frames => (copy = [...frames])
  );
  await kernel.finish(id);
  await sendRaw(copy, copy);
  expect((await kernel.execute('times')).result).toBe('1');
});

test('requests whose fields have the wrong types are answered', async () => {
  const wrong: unknown[] = [undefined, null, true, -1, 1e300, 'text', [], [[1]], {}, { toString: 1 }];
  const requests: Record<string, readonly string[]> = {
    kernel_info_request: ['anything'],
    execute_request: ['code', 'silent', 'store_history', 'user_expressions', 'allow_stdin', 'stop_on_error'],
    complete_request: ['code', 'cursor_pos'],
    inspect_request: ['code', 'cursor_pos', 'detail_level'],
    is_complete_request: ['code'],
    history_request: ['hist_access_type', 'n', 'session', 'start', 'stop', 'pattern', 'unique', 'output'],
    comm_info_request: ['target_name'],
    connect_request: ['anything'],
    delete_subshell_request: ['subshell_id'],
    usage_request: ['anything']
  };
  const usual: Content = {
    code: 'kept',
    cursor_pos: 2,
    hist_access_type: 'tail',
    n: 1,
    session: 0,
    pattern: '*'
  };
  const ids = Object.entries(requests).flatMap(([type, fields]) =>
    fields.flatMap(name => wrong.map(value => kernel.send('shell', type, { ...usual, [name]: value })))
  );
  for (const id of ids) {
    const { status } = await kernel.reply(id);
    expect(['ok', 'error', 'complete', 'incomplete', 'invalid', 'unknown']).toContain(status);
    await kernel.idle(id);
  }
}, 60_000);

test('comm messages of wrong shapes end idle', async () => {
  const contents: Content[] = [
    {},
    { comm_id: 1, target_name: {}, data: 'text' },
    { comm_id: 'r', target_name: 'jupyter.widget.control', data: null },
    { comm_id: 'r', data: { method: 7, state: 5, buffer_paths: 'x' } },
    { comm_id: 'r', data: { method: 'update', state: { a: 1 }, buffer_paths: [['a', 'b'], 5] } },
    { comm_id: 'r', data: [] },
    { comm_id: null }
  ];
  for (const type of ['comm_open', 'comm_msg', 'comm_close'])
    for (const content of contents)
      await kernel.idle(kernel.send('shell', type, content, [new Uint8Array(3)]));
  await kernel.idle(kernel.send('shell', 'comm_close', { comm_id: 'r', data: {} }));
});

test('a message nested too deeply to be forwarded ends idle', async () => {
  const levels = 200_000;
  const id = 'deep';
  const header = JSON.stringify({ ...(JSON.parse(HEADER) as Content), msg_id: id, msg_type: 'comm_msg' });
  kernel.sendRaw('shell', signedFrames([header, '{}', '{}', `{"comm_id":"x","data":${deep(levels)}}`]));
  await kernel.idle(id);
});

test('large messages are handled: a long cell, a long answer, big buffers', async () => {
  const { result } = await kernel.execute(`/*${'x'.repeat(8 * 2 ** 20)}*/ kept + 1`);
  expect(result).toBe('43');
  const big = new Uint8Array(48 * 2 ** 20);
  await kernel.idle(
    kernel.send('shell', 'comm_open', { comm_id: 'big', target_name: 'nobody', data: {} }, [big, big])
  );
  kernel.sendRaw('shell', ['<IDS|MSG>', '0'.repeat(64), HEADER, '{}', '{}', big]);
}, 60_000);

test('connections that do not speak ZeroMQ do no harm', async () => {
  const port = Number(kernel.endpoints.shell.split(':').at(-1));
  await Promise.all(
    Array.from({ length: 20 }, (_, index) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(index % 2 === 0 ? 'GET / HTTP/1.1\r\n\r\n' : randomBytes(1_000));
      return pass(20, 'they stay for a while').then(() => void socket.destroy());
    })
  );
});

test('a thousand clients are served: each gets the replies to its own requests', async () => {
  const peers = Array.from({ length: 50 }, () => new Peer(kernel));
  await Promise.all(
    peers.map(async (peer, index) => {
      const expected = new Map<string, string>();
      for (let session = 0; session < 20; session += 1) {
        const header = { session: `${index}-${session}` };
        const info = peer.send('kernel_info_request', {}, header);
        const cell = peer.send(
          'execute_request',
          { code: `${index} + ${session}`, user_expressions: { sum: `${index + session}` } },
          header
        );
        expected.set(info, 'kernel_info').set(cell, `${index + session}`);
      }
      while (expected.size > 0) {
        const { parentId, content } = await peer.reply();
        expect(expected.has(parentId)).toBe(true);
        const sum = expected.get(parentId)!;
        expected.delete(parentId);
        expect(content['status']).toBe('ok');
        if (sum !== 'kernel_info')
          expect(field<string>(content, 'user_expressions', 'sum', 'data', 'text/plain')).toContain(sum);
      }
      peer.close();
    })
  );
}, 120_000);

describe('a flood of comm messages', () => {
  const text = 'x'.repeat(40_000);
  /** Opens comms that have no target and writes to them; returns the last message. */
  const flood = (count: number): string => {
    let last = '';
    for (let index = 0; index < count; index += 1) {
      const comm_id = `flood${index}`;
      kernel.send('shell', 'comm_open', { comm_id, target_name: 'nobody', data: { text } });
      last = kernel.send('shell', 'comm_msg', { comm_id, data: { method: 'update', state: {} } });
    }
    return last;
  };

  test('while a cell computes is handled after it, each message to its idle status', async () => {
    const cell = kernel.startExecution(
      "console.log('computing'); const end = Date.now() + 200; while (Date.now() < end);"
    );
    await kernel.published(({ type, parentId }) => type === 'stream' && parentId === cell);
    await kernel.idle(flood(1_000));
    await kernel.finish(cell);
    expect((await kernel.request('comm_info_request', {}))['comms']).toEqual({});
  }, 60_000);

  test('leaves nothing behind', async () => {
    const memory = async (): Promise<number> =>
      (await kernel.request('usage_request', {}, 'control'))['kernel_memory'] as number;
    const floods = async (): Promise<void> => {
      for (let round = 0; round < 30; round += 1) {
        await kernel.idle(flood(100));
        // Drops the test's own copies.
        kernel.iopub.length = 0;
      }
    };
    await floods();
    const before = await memory();
    await floods();
    // Less than the messages sent in between.
    expect((await memory()) - before).toBeLessThan(30 * 100 * text.length);
  }, 60_000);
});

import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { curveKeyPair, Subscriber } from 'zeromq';
import { KernelSockets } from '../../kernel/front/sockets/sockets.ts';
import { Wire } from '../../kernel/front/sockets/wire.ts';
import { field, KERNEL_MAIN, KernelClient, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { Peer } from './peer.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

describe('a running kernel', () => {
  withKernel();

  const statuses = (id: string): string[] =>
    kernel.iopub
      .filter(({ type, parentId }) => type === 'status' && parentId === id)
      .map(({ content }) => content['execution_state'] as string);

  test('describes itself', async () => {
    const info = await kernel.request('kernel_info_request', {});
    expect(info).toMatchObject({ status: 'ok', protocol_version: '5.6', implementation: 'stridelab' });
    expect(info['language_info']).toMatchObject({ name: 'typescript', file_extension: '.ts' });
  });

  test('welcomes subscribers', async () => {
    const { content, parentId } = await kernel.published(({ type }) => type === 'iopub_welcome');
    expect(content).toEqual({ subscription: '' });
    expect(parentId).toBe('');
  });

  test('answers heartbeats', async () => {
    expect(await kernel.beat()).toBe('ping');
  });

  test('wraps a request in busy and idle', async () => {
    const id = kernel.send('shell', 'connect_request', {});
    expect(await kernel.reply(id)).toMatchObject({ status: 'ok', shell_port: expect.any(Number) as unknown });
    await kernel.idle(id);
    expect(statuses(id)).toEqual(['busy', 'idle']);
  });

  test('drops forged, malformed and replayed messages and continues', async () => {
    const forged = kernel.startExecution('1', {});
    await kernel.finish(forged);
    const bad = kernel.send('shell', 'kernel_info_request', {}, [], frames => (frames[1] = '0'.repeat(64)));
    let copy: (string | Uint8Array)[] = [];
    const good = kernel.send('shell', 'kernel_info_request', {}, [], frames => (copy = [...frames]));
    await kernel.reply(good);
    kernel.sendRaw('shell', copy);
    kernel.sendRaw('shell', ['<IDS|MSG>', 'short']);
    kernel.sendRaw('shell', ['no delimiter']);
    await kernel.idle(kernel.send('shell', 'kernel_info_request', {}));
    expect(statuses(bad)).toEqual([]);
    expect(statuses(good)).toEqual(['busy', 'idle']);
  });

  test('serves a client that connects again while its earlier connection is open', async () => {
    const first = new Peer(kernel);
    const asked = first.send('kernel_info_request', {});
    expect((await first.reply()).parentId).toBe(asked);
    const second = new Peer(kernel, false, first.session);
    const again = second.send('kernel_info_request', {});
    expect((await second.reply()).parentId).toBe(again);
    second.sendControl('kernel_info_request', {});
    expect((await second.controlReply()).content['status']).toBe('ok');
    first.close();
    second.close();
  });

  test('answers on control while a cell is busy', async () => {
    // Only the interrupt ends it: a kernel that waited for the cell would never reply.
    const cell = kernel.startExecution('while (true) {}');
    await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === cell);
    await kernel.request('kernel_info_request', {}, 'control');
    await kernel.request('history_request', { hist_access_type: 'tail', n: 1 });
    await kernel.request('interrupt_request', {}, 'control');
    await kernel.finish(cell);
  });

  test.each<[string, Content]>([
    ['1 + 1', { status: 'complete' }],
    ['', { status: 'complete' }],
    ['interface A { x: number }', { status: 'complete' }],
    ['await f()', { status: 'complete' }],
    ['if (a) {', { status: 'incomplete', indent: '  ' }],
    ['f(1,', { status: 'incomplete' }],
    ['1 +', { status: 'incomplete' }],
    ['const s = `a ${b} c', { status: 'incomplete' }],
    ['/* open', { status: 'incomplete' }],
    ['function f() {\n  g(', { status: 'incomplete', indent: '    ' }],
    ["let s = 'a", { status: 'invalid' }],
    ['x = ]', { status: 'invalid' }],
    ['}', { status: 'invalid' }]
  ])('reports whether %j is complete', async (code, answer) => {
    expect(await kernel.request('is_complete_request', { code })).toMatchObject(answer);
  });

  test('stores what was executed', async () => {
    await kernel.execute('const history1 = 1');
    await kernel.execute('history1 + 1');
    await kernel.execute('"secret"', { store_history: false });
    const ask = async (content: Content) =>
      (await kernel.request('history_request', content))['history'] as unknown[];
    const tail = await ask({ hist_access_type: 'tail', n: 2, output: true });
    expect(tail.map(item => field<string>(item, 2, 0))).toEqual(['const history1 = 1', 'history1 + 1']);
    expect(field<string>(tail, 1, 2, 1)).toContain('2');
    const line = field<number>(tail, 0, 1);
    expect(await ask({ hist_access_type: 'range', session: 0, start: line, stop: line + 1 })).toHaveLength(1);
    expect(await ask({ hist_access_type: 'search', pattern: 'history1*', unique: true })).toHaveLength(1);
    expect(await ask({ hist_access_type: 'search', pattern: '*secret*' })).toEqual([]);
  });
});

test('welcomes a client that subscribes before the kernel publishes anything', async () => {
  const ports = { shell_port: 0, iopub_port: 0, stdin_port: 0, control_port: 0, hb_port: 0 };
  const [file, transport, ip, key, hash] = ['file', 'tcp', '127.0.0.1', '', 'sha256'] as const;
  const connection = { file, transport, ip, ports, key, hash, curve: undefined, registration: undefined };
  const sockets = new KernelSockets(connection, new Wire(key, hash));
  await sockets.bind();
  const client = new Subscriber({ linger: 0 });
  try {
    client.connect(`tcp://${ip}:${sockets.ports.iopub_port}`);
    client.subscribe();
    const type = async (): Promise<unknown> =>
      field(JSON.parse((await client.receive())[3]!.toString()) as Content, 'msg_type');
    expect(await type()).toBe('iopub_welcome');
    sockets.publishStatus('starting', {});
    expect(await type()).toBe('status');
  } finally {
    client.close();
    await sockets.close();
  }
});

test('the kernel supports the ipc transport', async () => {
  const kernel = await KernelClient.start('ipc');
  expect((await kernel.execute('6 * 7')).result).toBe('42');
  await kernel.close();
});

test.each([true, false])('shuts down in order (restart: %s)', async restart => {
  const kernel = await KernelClient.start();
  await kernel.execute('let x = 1');
  const exit = once(kernel.child, 'exit');
  expect(await kernel.request('shutdown_request', { restart }, 'control')).toEqual({ status: 'ok', restart });
  expect((await exit)[0]).toBe(0);
  await kernel.close();
});

test('shuts down while a cell is in a busy loop', async () => {
  const kernel = await KernelClient.start();
  const cell = kernel.startExecution('while (true) {}');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === cell);
  const exit = once(kernel.child, 'exit');
  await kernel.request('shutdown_request', { restart: false });
  expect((await exit)[0]).toBe(0);
  await kernel.close();
});

describe('a connection file', () => {
  const folder = temporaryFolder();
  const good = {
    ip: '127.0.0.1',
    shell_port: 1,
    iopub_port: 2,
    stdin_port: 3,
    control_port: 4,
    hb_port: 5,
    key: ''
  };
  const { publicKey, secretKey } = curveKeyPair();

  test.each<[string, string | undefined, RegExp]>([
    ['that does not exist', undefined, /does not exist/],
    ['that is not JSON', '{', /is not JSON/],
    ['that lists', '[]', /is not a JSON object/],
    ['without a port', JSON.stringify({ ...good, hb_port: 'x' }), /"hb_port"/],
    ['of another transport', JSON.stringify({ ...good, transport: 'inproc' }), /"inproc"/],
    ['with an unknown signature', JSON.stringify({ ...good, signature_scheme: 'hmac-nope' }), /"hmac-nope"/],
    [
      'with one key of a pair',
      JSON.stringify({ ...good, curve_publickey: 'k' }),
      /without "curve_secretkey"/
    ],
    [
      'with a truncated key',
      JSON.stringify({ ...good, curve_publickey: publicKey, curve_secretkey: secretKey.slice(1) }),
      /damaged "curve_secretkey", expected 40/
    ],
    [
      'with a key of other characters',
      JSON.stringify({ ...good, curve_publickey: `~${publicKey.slice(1)}`, curve_secretkey: secretKey }),
      /damaged "curve_publickey"/
    ],
    [
      'with a key that is a number',
      JSON.stringify({ ...good, curve_publickey: 7, curve_secretkey: secretKey }),
      /damaged "curve_publickey"/
    ],
    [
      'with keys of two pairs',
      JSON.stringify({ ...good, curve_publickey: curveKeyPair().publicKey, curve_secretkey: secretKey }),
      /does not belong to its "curve_secretkey"/
    ],
    [
      'with a key that decodes to too much',
      JSON.stringify({ ...good, curve_publickey: '#'.repeat(40), curve_secretkey: secretKey }),
      /damaged "curve_publickey"/
    ],
    ['with an address of another machine', JSON.stringify({ ...good, ip: '192.0.2.1' }), /cannot be used/],
    [
      'to register at a port that is none',
      JSON.stringify({ kernel_id: 'k', registration_ip: '127.0.0.1', registration_port: 'x' }),
      /has "x" as "registration_port"/
    ],
    [
      'to register without an id',
      JSON.stringify({ registration_ip: '127.0.0.1', registration_port: 1 }),
      /"kernel_id"/
    ]
  ])('%s ends the kernel with one sentence', (_, text, fault) => {
    const file = join(folder, 'connection.json');
    rmSync(file, { force: true });
    if (text !== undefined) writeFileSync(file, text);
    const { status, stderr } = spawnSync(process.execPath, [KERNEL_MAIN, file], { encoding: 'utf8' });
    expect(status).toBe(2);
    expect(stderr).toMatch(fault);
    expect(stderr).toContain(file);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain(secretKey);
  });
});

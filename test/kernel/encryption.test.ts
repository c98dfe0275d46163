import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { curveKeyPair, Dealer, Request, Subscriber, type Socket } from 'zeromq';
import { parseConnection } from '../../kernel/front/sockets/connection-file.ts';
import { KernelSockets } from '../../kernel/front/sockets/sockets.ts';
import { Wire } from '../../kernel/front/sockets/wire.ts';
import { KernelClient, WITHOUT_TYPES, type Content } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';

withKernel('tcp', WITHOUT_TYPES, true);

type Connecting = Socket & { connect(address: string): void };

/** Connects a client to one socket of the kernel, and returns whether the kernel admits it. */
async function admitted(socket: Connecting, address: string): Promise<boolean> {
  try {
    const events = socket.events;
    socket.connect(address);
    for await (const { type } of events) {
      if (type === 'handshake') return true;
      if (type.startsWith('handshake:error') || type === 'disconnect') return false;
    }
    throw new Error('the socket was closed');
  } finally {
    socket.close();
  }
}

test('a cell runs, and the heartbeat answers', async () => {
  expect((await kernel.execute('1 + 1')).result).toBe('2');
  expect(await kernel.beat()).toBe('ping');
});

test('buffers of widgets pass in both directions', async () => {
  const { messages } = await kernel.execute(`
    import { Image } from 'stridelab/widgets';
    const image = new Image({ value: new Uint8Array([0, 255, 7]) });
    image`);
  const opened = messages.find(
    ({ type, content }) =>
      type === 'comm_open' && (content['data'] as Content)['buffer_paths']?.toString() === 'value'
  );
  expect(opened?.buffers.map(buffer => [...buffer])).toEqual([[0, 255, 7]]);
  const comm_id = opened!.content['comm_id'];
  const data = { method: 'update', state: {}, buffer_paths: [['value']] };
  await kernel.idle(kernel.send('shell', 'comm_msg', { comm_id, data }, [new Uint8Array([128, 1])]));
  expect((await kernel.execute('String(image.value)')).result).toContain('128,1');
});

describe.each(['shell', 'control', 'stdin', 'iopub', 'heartbeat'] as const)('the %s socket', channel => {
  const client = (options: object = {}): Connecting => {
    const Kind = { iopub: Subscriber, heartbeat: Request }[channel as string] ?? Dealer;
    return new Kind({ linger: 0, ...options });
  };

  test('admits a client with the keys, also under keys of its own', async () => {
    const { publicKey, secretKey } = curveKeyPair();
    const options = { curveServerKey: kernel.keys!.publicKey, curvePublicKey: publicKey };
    const address = kernel.endpoints[channel];
    expect(await admitted(client({ ...options, curveSecretKey: secretKey }), address)).toBe(true);
  });

  test('refuses a plain client and one with the key of another kernel', async () => {
    expect(await admitted(client(), kernel.endpoints[channel])).toBe(false);
    const { publicKey, secretKey } = curveKeyPair();
    const wrong = { curveServerKey: publicKey, curvePublicKey: publicKey, curveSecretKey: secretKey };
    expect(await admitted(client(wrong), kernel.endpoints[channel])).toBe(false);
  });
});

test('no reply and no output contains a key', async () => {
  const replies = [
    await kernel.request('connect_request', {}),
    await kernel.request('kernel_info_request', {})
  ];
  expect(Object.keys(replies[0]!).sort()).toEqual(
    ['status', 'shell_port', 'iopub_port', 'stdin_port', 'control_port', 'hb_port'].sort()
  );
  const { publicKey, secretKey } = kernel.keys!;
  const said = JSON.stringify([replies, kernel.iopub.map(({ content }) => content)]) + kernel.stderr;
  for (const key of [publicKey, secretKey]) expect(said).not.toContain(JSON.stringify(key).slice(1, -1));
});

test('an encrypted kernel is interrupted and shuts down, also over ipc', async () => {
  const other = await KernelClient.start('ipc', WITHOUT_TYPES, true);
  const cell = other.startExecution('while (true) {}');
  await other.published(({ type, parentId }) => type === 'execute_input' && parentId === cell);
  await other.request('interrupt_request', {}, 'control');
  expect((await other.finish(cell)).reply['status']).toBe('error');
  const exit = once(other.child, 'exit');
  await other.request('shutdown_request', { restart: false }, 'control');
  expect((await exit)[0]).toBe(0);
  await other.close();
});

test('a ZeroMQ without CurveZMQ is reported instead of leaving the connection plain', () => {
  const file = join(kernel.folder, 'connection.json');
  const connection = parseConnection(file, readFileSync(file, 'utf8'));
  expect(() => new KernelSockets(connection, new Wire('', 'sha256'), false)).toThrow(
    `The connection file ${file} requires encryption, which the installed ZeroMQ lacks: install the npm package zeromq again`
  );
});

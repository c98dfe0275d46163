/** The handshake of protocol 5.6, with a registration service written after JEP 66 and jupyter_client's messaging.rst. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { curveKeyPair, Dealer, Router } from 'zeromq';
import { bindTo } from '../../kernel/front/sockets/binding.ts';
import { parseConnection, type Connection } from '../../kernel/front/sockets/connection-file.ts';
import { register } from '../../kernel/front/sockets/registration.ts';
import { Wire } from '../../kernel/front/sockets/wire.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { KERNEL_MAIN } from './client.ts';

const KEY = 'a key for tests';
const PORTS = ['control_port', 'shell_port', 'stdin_port', 'iopub_port', 'hb_port'];
const sign = (content: string, key = KEY): string => createHmac('sha256', key).update(content).digest('hex');

/** A registration service with its file for one kernel. */
class Service {
  readonly socket = new Router({ linger: 0 });
  readonly folder = temporaryFolder();
  readonly file = join(this.folder, 'registration.json');

  static async open(more: Record<string, unknown> = {}): Promise<Service> {
    const service = new Service();
    const ip = more['transport'] === 'ipc' ? join(service.folder, 'k') : '127.0.0.1';
    await service.socket.bind(more['transport'] === 'ipc' ? `ipc://${ip}-1` : `tcp://${ip}:*`);
    const fields = {
      kernel_id: 'the-id',
      transport: 'tcp',
      registration_ip: ip,
      registration_port: Number(/\d+$/.exec(service.socket.lastEndpoint!)![0]),
      signature_scheme: 'hmac-sha256',
      key: KEY,
      ...more
    };
    writeFileSync(service.file, JSON.stringify(fields));
    return service;
  }

  get connection(): Connection {
    return parseConnection(this.file, readFileSync(this.file, 'utf8'));
  }

  /** The next registration: the sender, and the content if its form and signature are right. */
  async receive(): Promise<{ readonly id: Buffer; readonly content: Record<string, unknown> }> {
    const [id, delimiter, signature, content, ...rest] = await this.socket.receive();
    expect([delimiter!.toString(), signature!.toString()]).toEqual(['<IDS|MSG>', sign(content!.toString())]);
    expect(rest).toEqual([]);
    return { id: id!, content: JSON.parse(content!.toString()) as Record<string, unknown> };
  }

  async acknowledge(id: Buffer): Promise<void> {
    await this.socket.send([id, '<IDS|MSG>', sign('{}'), '{}']);
  }
}

let service: Service;
let child: ChildProcess | undefined;
afterEach(async () => {
  service.socket.close();
  if (child === undefined || child.exitCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
});

function startKernel(file: string): ChildProcess {
  const env = { ...process.env, STRIDELAB_HISTORY: 'off' };
  child = spawn(process.execPath, [KERNEL_MAIN, file], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  return child;
}

test.each([
  ['tcp', {}],
  ['tcp with encryption', { curve: true }],
  ['tcp with a port as text, and an address for the kernel', { ip: '127.0.0.1', text: true }],
  ['ipc', { transport: 'ipc' }]
])('the kernel chooses ports, registers them and removes its file at the end: %s', async (_, options) => {
  const { curve, text, ...more } = options as Record<string, unknown>;
  const { publicKey, secretKey } = curveKeyPair();
  service = await Service.open({
    ...more,
    ...(curve === true && { curve_publickey: publicKey, curve_secretkey: secretKey })
  });
  if (text === true) {
    const fields = JSON.parse(readFileSync(service.file, 'utf8')) as Record<string, unknown>;
    const registration_port = String(fields['registration_port']);
    writeFileSync(service.file, JSON.stringify({ ...fields, registration_port }));
  }
  const kernel = startKernel(service.file);
  const { id, content } = await service.receive();
  expect(Object.keys(content).sort()).toEqual(['kernel_id', ...PORTS].sort());
  expect(content['kernel_id']).toBe('the-id');
  for (const name of PORTS) expect(content[name]).toMatch(/^[1-9]\d*$/);
  expect(new Set(PORTS.map(name => content[name])).size).toBe(5);

  const written = join(service.folder, 'kernel-the-id.json');
  expect(statSync(written).mode & 0o777).toBe(0o600);
  const offered = parseConnection(written, readFileSync(written, 'utf8'));
  expect(PORTS.map(name => String(offered.ports[name as keyof typeof offered.ports]))).toEqual(
    PORTS.map(name => content[name])
  );
  expect(offered).toMatchObject({ key: KEY, hash: 'sha256', registration: undefined });
  expect(offered.curve).toEqual(curve === true ? { publicKey, secretKey } : undefined);
  await service.acknowledge(id);

  const exit = once(kernel, 'exit');
  kernel.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
  expect(existsSync(written)).toBe(false);
  expect(existsSync(service.file)).toBe(true);
});

test('a hundred sockets that bind over ipc at once get different files, and none loses its own', async () => {
  service = await Service.open({ transport: 'ipc' });
  const ip = join(service.folder, 'k');
  const sockets = Array.from({ length: 100 }, () => new Router({ linger: 0 }));
  const ports = await Promise.all(sockets.map(socket => bindTo(socket, 'ipc', ip, 0)));
  expect(new Set([1, ...ports]).size).toBe(101);
  for (const [index, port] of ports.entries()) {
    const client = new Dealer({ linger: 0 });
    client.connect(`ipc://${ip}-${port}`);
    await client.send(String(index));
    const [, text] = await sockets[index]!.receive();
    expect(text!.toString()).toBe(String(index));
    client.close();
    sockets[index]!.close();
  }
});

test('a registration file with the usual name of the connection file is not overwritten', async () => {
  service = await Service.open({ kernel_id: 'a/b' });
  const file = join(service.folder, 'kernel-a%2Fb.json');
  const text = readFileSync(service.file, 'utf8');
  writeFileSync(file, text);
  startKernel(file);
  await service.receive();
  expect(readFileSync(file, 'utf8')).toBe(text);
  expect(existsSync(join(service.folder, 'kernel-a%2Fb-connection.json'))).toBe(true);
});

test('the kernel ends while it waits for an acknowledgement, if the server ends it', async () => {
  service = await Service.open();
  const kernel = startKernel(service.file);
  await service.receive();
  const exit = once(kernel, 'exit');
  kernel.kill('SIGTERM');
  expect(await exit).toEqual([0, null]);
});

describe('register', () => {
  const ports = { shell_port: 1, iopub_port: 2, stdin_port: 3, control_port: 4, hb_port: 5 };
  const wire = (): Wire => new Wire(KEY, 'sha256');

  test('accepts a signed acknowledgement with any content, and no other', async () => {
    service = await Service.open();
    const acknowledged = async (...frames: (readonly string[])[]): Promise<string> => {
      const registered = register(service.connection, ports, wire(), 1_000).then(
        () => 'yes',
        () => 'no'
      );
      const { id, content } = await service.receive();
      expect(content).toMatchObject({ kernel_id: 'the-id', shell_port: '1', hb_port: '5' });
      for (const parts of frames) await service.socket.send([id, ...parts]);
      return registered;
    };
    const bad = [
      ['<IDS|MSG>', sign('ACK', 'another key'), 'ACK'],
      ['<IDS|MSG>', '', 'ACK'],
      ['<IDS|MSG>', sign('ACK'), 'ACK', 'more'],
      ['<IDS|MSG>', sign('ACK')],
      ['<IDS|MSG>'],
      ['no delimiter', sign('ACK'), 'ACK'],
      ['']
    ];
    expect(await acknowledged(...bad)).toBe('no');
    expect(await acknowledged(...bad, ['<IDS|MSG>', sign('ACK'), 'ACK'])).toBe('yes');
    expect(await acknowledged(['<IDS|MSG>', sign('{}'), '{}'])).toBe('yes');
  });

  test('a service that is not there, or never acknowledges, is an error that names it', async () => {
    service = await Service.open();
    const { connection } = service;
    const address = `tcp://127.0.0.1:${connection.registration!.port}`;
    const fault = `The connection file ${service.file} names the registration service ${address}, which did not acknowledge the ports within 0.1 s: restart the kernel`;
    await expect(register(connection, ports, wire(), 100)).rejects.toThrow(fault);
    service.socket.close();
    await expect(register(connection, ports, wire(), 100)).rejects.toThrow(fault);
  });
});

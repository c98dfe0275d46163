/** The id of a communicator on its way from rank 0 to the others: real processes, strangers, and ranks that are missing. */

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createConnection, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { shareId, type Meeting } from '../../../src/collectives/rendezvous.ts';
import { CollectiveError } from '../../../src/index.ts';
import { root } from '../../setup/repository.ts';

const ID = Uint8Array.from({ length: 128 }, (_, index) => index);
const make = (): Uint8Array => ID;

async function meeting(size: number, more: Partial<Meeting> = {}): Promise<(rank: number) => Meeting> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return rank => ({ rank, size, address: '127.0.0.1', port, job: 'job', timeout: 30_000, ...more });
}

const refused = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => Promise.reject(new Error('it was not refused')),
    (error: Error) => error
  );

test('processes that start in any order all get the bytes of rank 0', async () => {
  const of = await meeting(4);
  const children: ChildProcess[] = [];
  const printed = [2, 0, 3, 1].map(async rank => {
    const program = `
      const { shareId } = await import(${JSON.stringify(join(root, 'dist/src/collectives/rendezvous.js'))});
      const id = await shareId(${JSON.stringify(of(rank))}, () => Uint8Array.from({ length: 128 }, (_, index) => index));
      console.log(Buffer.from(id).toString('hex'));`;
    const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit']
    });
    children.push(child);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(child, 'close');
    return text.trim();
  });
  expect(await Promise.all(printed)).toEqual(Array(4).fill(Buffer.from(ID).toString('hex')));
}, 60_000);

test('a job of one rank needs no network', async () => {
  expect(
    await shareId({ rank: 0, size: 1, address: 'nowhere.invalid', port: 1, job: '', timeout: 1 }, make)
  ).toBe(ID);
});

test('a missing rank is named at every rank, within the time limit', async () => {
  const of = await meeting(4, { timeout: 500 });
  const errors = await Promise.all([0, 2].map(rank => refused(shareId(of(rank), make))));
  for (const error of errors) {
    expect(error).toBeInstanceOf(CollectiveError);
    expect(error.message).toContain('rank 1, 3 of 4 did not connect to rank 0');
  }
});

test('without rank 0 the others report its address', async () => {
  const of = await meeting(2, { timeout: 200 });
  expect((await refused(shareId(of(1), make))).message).toMatch(
    /rank 0 did not answer at 127\.0\.0\.1:\d+ within 0\.2 s/
  );
}, 30_000);

test('a second process with the same rank, and ranks of another job, are refused; the job goes on', async () => {
  const of = await meeting(3);
  const zero = shareId(of(0), make);
  const first = shareId(of(1), make);
  const second = refused(shareId(of(1), make));
  const other = refused(shareId({ ...of(2), job: 'other' }, make));
  const larger = refused(shareId({ ...of(2), size: 5 }, make));
  const either = await Promise.race([second, first.then(() => undefined)]);
  expect(either?.message).toContain('each rank must be started once');
  for (const each of [other, larger]) expect((await each).message).toContain('set STRIDELAB_PORT');
  expect(await shareId(of(2), make)).toEqual(Buffer.from(ID));
  expect(await first).toEqual(Buffer.from(ID));
  expect(await zero).toBe(ID);
});

test('strangers and connections that drop half-way change nothing', async () => {
  const of = await meeting(2);
  const { port } = of(0);
  const zero = shareId(of(0), make);
  for (const text of [
    'GET / HTTP/1.1\r\n\r\n',
    '{"stridelab":1,"rank":',
    'x'.repeat(100_000),
    '[]\n',
    '{"stridelab":1,"rank":7,"size":2,"job":"job"}\n',
    ''
  ]) {
    const socket = createConnection({ host: '127.0.0.1', port });
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    const closed = new Promise(resolve => socket.once('close', resolve));
    socket.end(text);
    await closed;
  }
  // A rank that was there, but ended before the others came, may come again.
  const early = createConnection({ host: '127.0.0.1', port });
  await once(early, 'connect');
  early.destroy();
  expect(await shareId(of(1), make)).toEqual(Buffer.from(ID));
  expect(await zero).toBe(ID);
});

test('a port in use is an error of rank 0 that says what to set', async () => {
  const of = await meeting(2);
  const server = createServer().listen(of(0).port, '127.0.0.1');
  await once(server, 'listening');
  expect((await refused(shareId(of(0), make))).message).toMatch(/EADDRINUSE.*STRIDELAB_PORT/);
  server.close();
});

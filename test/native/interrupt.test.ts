import { block, errorOf, mark, native, rejectionOf, simulated, stream } from './support.ts';

const MEBI = 2 ** 20;
const flag = new Int32Array(new SharedArrayBuffer(4));

function busy() {
  const [on, storage] = [stream(), block(MEBI)];
  storage.writeFromHost(0, new Uint8Array(MEBI), on);
  return { on, storage };
}

beforeEach(() => {
  native.setInterruptFlag(flag);
  Atomics.store(flag, 0, 1);
});
afterEach(() => native.setInterruptFlag(null));

test('a raised flag ends each blocking wait', () => {
  const { on, storage } = busy();
  const event = mark(on);
  for (const wait of [
    () => on.synchronize(),
    () => event.synchronize(),
    () => simulated().synchronize(),
    () => storage.readToHost(0, new Uint8Array(8), on)
  ]) {
    expect(errorOf(wait)).toMatchObject({
      kind: 'interrupted',
      message: 'the wait for the device was interrupted'
    });
  }
});

test('a raised flag ends waits on worker threads', async () => {
  const { on, storage } = busy();
  const event = mark(on);
  const kinds = [
    on.synchronizeAsync(),
    event.synchronizeAsync(),
    storage.readToHostAsync(0, new Uint8Array(8), on)
  ].map(async promise => (await rejectionOf(promise)).kind);
  expect(await Promise.all(kinds)).toEqual(['interrupted', 'interrupted', 'interrupted']);
});

test('a wait for completed work is not interrupted', () => {
  stream().synchronize();
  native.createEvent(simulated(), false).synchronize();
});

test('waits go on once the flag is lowered, changed or removed', () => {
  const { on } = busy();
  Atomics.store(flag, 0, 0);
  on.synchronize();
  Atomics.store(flag, 0, 1);
  native.setInterruptFlag(null);
  busy().on.synchronize();
});

test.each([new Int32Array(0), new Uint8Array(4), new BigInt64Array(1), {}, undefined, 1])(
  'a flag that is %p is refused',
  value => {
    expect(errorOf(() => native.setInterruptFlag(value as never)).kind).toBe('argument');
  }
);

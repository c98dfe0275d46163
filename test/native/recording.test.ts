import type { NativeDevice, NativeStorage, NativeStream } from '../../src/native/binding.ts';
import { errorOf, native, simulated } from './support.ts';

const [device] = native.devices('recording') as [NativeDevice];
const { recording } = native;

function stream(): NativeStream {
  return native.createStream(device, { blocking: false, priority: 0 });
}

function block(bytes = 64): NativeStorage {
  return native.allocate(device, bytes, 'device');
}

/** The names of the calls that `action` makes, with the streams of ordering calls. */
function callsOf(action: () => void): string[] {
  recording.clear();
  action();
  return recording.log().map(call => {
    const name = call.slice(0, call.indexOf('('));
    const on = /stream (\w+)/.exec(call)?.[1];
    return on === undefined ? name : `${name} ${on}`;
  });
}

const hex = (on: NativeStream): string =>
  on.handle < 2n ** 26n ? `${on.handle}` : `0x${on.handle.toString(16)}`;

beforeEach(() => {
  recording.reset();
  device.synchronize();
});
afterAll(() => recording.reset());

describe('the recording driver', () => {
  test('logs calls in order and moves data like the simulated device', () => {
    const [on, storage] = [stream(), block()];
    const target = new Uint8Array(2);
    recording.clear();
    storage.fill(0, 1, 7, 64, on);
    storage.readToHost(62, target, on);
    expect([...target]).toEqual([7, 7]);
    expect(recording.log().slice(0, 2)).toEqual([
      `cuMemsetD8Async(0x${storage.pointer.toString(16)}, 7, 64, stream ${hex(on)})`,
      expect.stringMatching(/^cuMemcpyDtoHAsync\(0x/)
    ]);
    expect(device.kind).toBe('recording');
    expect(device.uuid).not.toBe(simulated().uuid);
  });

  test('has separate memory', () => {
    const before = simulated().memoryInfo().free;
    const storage = block(2 ** 20);
    expect(simulated().memoryInfo().free).toBe(before);
    expect(simulated().pointerAttributes(storage.pointer)).toBeNull();
    expect(device.pointerAttributes(storage.pointer)?.rangeBytes).toBe(2 ** 20);
    storage.release();
  });

  test('fails as configured', () => {
    recording.fail('cuMemAlloc', 2, 1);
    expect(errorOf(() => block())).toMatchObject({ kind: 'driver', statusName: 'CUDA_ERROR_OUT_OF_MEMORY' });
    block().release();
    recording.fail('*', 1, -1);
    expect(errorOf(() => block()).status).toBe(1);
    expect(errorOf(() => stream()).status).toBe(1);
    recording.reset();
    block().release();
    expect(errorOf(() => recording.fail('cuMemAlloc', -1, 1)).kind).toBe('argument');
  });
});

describe('order of calls', () => {
  test('rules 75, 80, 232: a block used on one stream records nothing', () => {
    const [on, storage] = [stream(), block()];
    expect(
      callsOf(() => {
        storage.fill(0, 1, 1, 64, on);
        storage.fill(0, 1, 2, 64, on);
        storage.join(false);
      }).filter(call => call.startsWith('cuEvent') || call.startsWith('cuStreamWait'))
    ).toEqual([]);
  });

  test('rules 72, 75, 89: a second stream waits on the device for an event at the tail of the first', () => {
    const [producer, consumer, storage, target] = [stream(), stream(), block(), block()];
    storage.fill(0, 1, 1, 64, producer);
    const calls = callsOf(() => target.copyFrom(0, storage, 0, 64, consumer));
    expect(calls.filter(call => !call.startsWith('cuEventCreate'))).toEqual([
      `cuEventRecord ${hex(producer)}`,
      `cuStreamWaitEvent ${hex(consumer)}`,
      `cuMemcpyDtoDAsync ${hex(consumer)}`
    ]);
  });

  test('rules 73, 82, 89: a later write of the first stream waits for the reads of the second', () => {
    const [producer, consumer, storage, target] = [stream(), stream(), block(), block()];
    storage.fill(0, 1, 1, 64, producer);
    target.copyFrom(0, storage, 0, 64, consumer);
    const calls = callsOf(() => storage.fill(0, 1, 2, 64, producer));
    expect(calls).toEqual([
      `cuEventRecord ${hex(consumer)}`,
      `cuStreamWaitEvent ${hex(producer)}`,
      `cuMemsetD8Async ${hex(producer)}`
    ]);
  });

  test('rules 73, 82: reads on two streams do not wait for each other', () => {
    const [first, second, storage] = [stream(), stream(), block()];
    const targets = [block(), block()];
    storage.fill(0, 1, 1, 64, first);
    first.synchronize();
    storage.uses();
    const calls = callsOf(() => {
      targets[0]?.copyFrom(0, storage, 0, 64, first);
      targets[1]?.copyFrom(0, storage, 0, 64, second);
    });
    expect(calls).toEqual([`cuMemcpyDtoDAsync ${hex(first)}`, `cuMemcpyDtoDAsync ${hex(second)}`]);
  });

  test('rules 73, 232: memory is freed after the events of all streams that used it, without a host wait', () => {
    const [first, second, storage] = [stream(), stream(), block(2 ** 20)];
    storage.writeFromHost(0, new Uint8Array(2 ** 20), first);
    const target = block(2 ** 20);
    target.copyFrom(0, storage, 0, 2 ** 20, second);
    const calls = callsOf(() => storage.release());
    expect(calls).toContain(`cuEventRecord ${hex(second)}`);
    expect(calls).not.toContain('cuMemFree');
    expect(calls.filter(call => call.includes('Synchronize'))).toEqual([]);
    second.synchronize();
    expect(callsOf(() => device.memoryInfo())).toEqual(expect.arrayContaining(['cuMemFree']));
  });

  test('rule 84: a capture is started in relaxed mode, and its uses record nothing outside', () => {
    const [on, outside, storage] = [stream(), stream(), block()];
    storage.fill(0, 1, 1, 64, outside);
    recording.clear();
    on.beginCapture();
    storage.fill(0, 1, 2, 64, on);
    storage.join(false);
    on.endCapture().destroy();
    // The tail is recorded before the capture, because it cannot be queried during it.
    const log = recording.log();
    const begin = log.indexOf(`cuStreamBeginCapture(stream ${hex(on)}, 2)`);
    expect(log.slice(0, begin).map(call => call.slice(0, call.indexOf('(')))).toEqual(['cuEventRecord']);
    expect(
      log.slice(begin).filter(call => call.startsWith('cuEvent') || call.startsWith('cuStreamQ'))
    ).toEqual([]);
  });

  test('rules 188, 190: handles of interior pointers open the base allocation', () => {
    const storage = block(1024);
    const handle = native.raw.ipcMemHandle(device, storage.pointer + 100n);
    expect(handle).toHaveLength(64);
    expect(native.raw.ipcOpen(device, handle)).toBe(storage.pointer);
    native.raw.ipcClose(device, storage.pointer);
    storage.release();
  });
});

describe('a device that is lost', () => {
  const ILLEGAL_ADDRESS = 700;

  test('rules 88, 103: memory lent to it is returned all the same', () => {
    let released = 0;
    const own = block(2 ** 20);
    const lent = native.adopt(device, own.pointer, 2 ** 20, 'device', () => void released++);
    const on = stream();
    lent.writeFromHost(0, new Uint8Array(2 ** 20), on);
    lent.release();
    expect(released).toBe(0);
    recording.fail('*', ILLEGAL_ADDRESS, -1);
    native.drainReleases(true);
    expect(released).toBe(1);
    recording.reset();
    own.release();
  });

  test('rules 88, 103: every call reports the loss and the last writer, and disposing is silent', () => {
    const [on, storage] = [stream(), block()];
    storage.fill(0, 1, 1, 64, on);
    recording.fail('*', ILLEGAL_ADDRESS, -1);
    for (const call of [
      () => block(),
      () => on.synchronize(),
      () => storage.fill(0, 1, 1, 64, on),
      () => device.memoryInfo()
    ]) {
      expect(errorOf(call)).toMatchObject({ kind: 'lost', statusName: 'CUDA_ERROR_ILLEGAL_ADDRESS' });
      expect(errorOf(call).message).toContain('until the process is restarted');
    }
    expect(errorOf(() => storage.readToHost(0, new Uint8Array(4), on)).message).toContain(
      `last written by operation ${on.sequence} of stream #${on.id}`
    );
    storage.release();
    expect(storage.released).toBe(true);
  });

  test('rules 96, 103: adopted memory is released all the same', () => {
    const on = stream();
    const pointer = native.raw.memAlloc(device, 64);
    let released = 0;
    const storage = native.adopt(device, pointer, 64, 'device', () => released++);
    storage.fill(0, 1, 1, 64, on);
    recording.fail('*', ILLEGAL_ADDRESS, -1);
    storage.release();
    expect(released).toBe(1);
    recording.reset();
    native.raw.memFree(device, pointer);
  });

  test('rule 105: a forked process cannot use what was opened before', () => {
    expect(recording.useAfterFork()).toContain('forked');
    block().release();
  });
});

import type { NativeStorage, NativeStream } from '../../src/native/binding.ts';
import { block, errorOf, native, record, rejectionOf, simulated, stream, wait } from './support.ts';

function bytes(storage: NativeStorage, count = 4): number[] {
  const target = new Uint8Array(count);
  storage.readToHost(0, target, simulated().legacyStream());
  return [...target];
}

function captured(on: NativeStream, submit: () => void) {
  on.beginCapture();
  submit();
  return on.endCapture();
}

describe('capture', () => {
  test('rule 84: keeps work and runs it at each launch', () => {
    const [on, storage] = [stream(), block(4)];
    storage.fill(0, 1, 0, 4, on);
    const graph = captured(on, () => {
      storage.fill(0, 1, 5, 2, on);
      storage.fill(2, 1, 6, 2, on);
      expect(on.capturing).toBe(true);
    });
    expect(on.capturing).toBe(false);
    expect(bytes(storage)).toEqual([0, 0, 0, 0]);
    graph.launch(on);
    expect(bytes(storage)).toEqual([5, 5, 6, 6]);
    storage.fill(0, 1, 0, 4, on);
    graph.launch(on);
    expect(bytes(storage)).toEqual([5, 5, 6, 6]);
    expect(graph.device).toBe(simulated());
    graph.destroy();
    graph.destroy();
    expect(errorOf(() => graph.launch(on)).kind).toBe('freed');
  });

  test('rule 84: copies from the host hold the bytes of the capture, device copies those of the launch', () => {
    const [on, source, target] = [stream(), block(4), block(8)];
    const host = new Uint8Array([1, 2, 3, 4]);
    const graph = captured(on, () => {
      source.writeFromHost(0, host, on);
      target.copyFrom(4, source, 0, 4, on);
    });
    host.fill(0);
    graph.launch(stream());
    expect(bytes(target, 8).slice(4)).toEqual([1, 2, 3, 4]);
  });

  test('rules 84, 232: the graph keeps its memory alive, and frees it after its launches', () => {
    simulated().synchronize();
    native.drainReleases(true);
    const before = simulated().memoryInfo().free;
    const storage = block(2 ** 20);
    const on = stream();
    const graph = captured(on, () => storage.fill(0, 1, 1, 2 ** 20, on));
    storage.release();
    expect(simulated().memoryInfo().free).toBe(before - 2 ** 20);
    graph.launch(on);
    graph.destroy();
    expect(simulated().memoryInfo().free).toBe(before - 2 ** 20);
    on.synchronize();
    expect(simulated().memoryInfo().free).toBe(before);
  });

  test('rules 80, 84: a join inside names the capturing stream and does not touch work outside', () => {
    const [on, outside, storage] = [stream(), stream(), block(2 ** 20)];
    storage.writeFromHost(0, new Uint8Array(2 ** 20), outside);
    const graph = captured(on, () => {
      expect(storage.join(false)).toBe(outside);
      storage.fill(0, 1, 1, 4, on);
      expect(storage.join(false)).toBe(on);
      expect(storage.uses().map(use => use.stream)).toEqual([outside]);
    });
    expect(storage.join(false)).toBe(outside);
    graph.launch(on);
    expect(storage.join(false)).toBe(on);
    expect(bytes(storage, 2)).toEqual([1, 1]);
  });

  test('rule 84: a launch waits for other streams, and they for it', () => {
    const [on, before, after, storage] = [stream(), stream(), stream(), block(2 ** 20)];
    const graph = captured(on, () => storage.fill(0, 1, 1, 2 ** 20, on));
    storage.writeFromHost(0, new Uint8Array(2 ** 20), before);
    graph.launch(on);
    storage.fill(0, 1, 2, 4, after);
    after.synchronize();
    expect(before.query() && on.query()).toBe(true);
  });

  test('rule 84: streams that wait for an event inside the capture are captured too', () => {
    const [on, side, storage, other] = [stream(), stream(), block(4), block(4)];
    const fork = native.createEvent(simulated(), false);
    const join = native.createEvent(simulated(), false);
    const graph = captured(on, () => {
      storage.fill(0, 1, 3, 4, on);
      record(on, fork);
      wait(side, fork);
      expect(side.capturing).toBe(true);
      other.copyFrom(0, storage, 0, 4, side);
      record(side, join);
      wait(on, join);
    });
    expect(side.capturing).toBe(false);
    expect(bytes(other)).not.toEqual([3, 3, 3, 3]);
    graph.launch(side);
    expect(bytes(other)).toEqual([3, 3, 3, 3]);
  });

  test('rule 84: uses on two captured streams are ordered inside', () => {
    const [on, side, storage] = [stream(), stream(), block(4)];
    const fork = native.createEvent(simulated(), false);
    const graph = captured(on, () => {
      record(on, fork);
      wait(side, fork);
      storage.fill(0, 1, 3, 4, side);
      storage.fill(0, 1, 4, 2, on); // waits for the side stream by an event of the capture, which joins it
    });
    graph.launch(on);
    expect(bytes(storage)).toEqual([4, 4, 3, 3]);
  });
});

describe('operations that a capture refuses', () => {
  test('rule 84: waiting, reading, destroying and capturing again leave the capture intact', async () => {
    const [on, storage] = [stream(), block(4)];
    const outside = native.createEvent(simulated(), false);
    record(stream(), outside);
    on.beginCapture();
    storage.fill(0, 1, 9, 4, on);
    expect(errorOf(() => on.synchronize()).kind).toBe('argument');
    expect((await rejectionOf(on.synchronizeAsync())).kind).toBe('argument');
    expect(errorOf(() => storage.readToHost(0, new Uint8Array(4), on)).kind).toBe('argument');
    expect((await rejectionOf(storage.readToHostAsync(0, new Uint8Array(4), on))).kind).toBe('argument');
    expect(errorOf(() => on.destroy()).kind).toBe('argument');
    expect(errorOf(() => on.beginCapture()).kind).toBe('argument');
    expect(errorOf(() => wait(on, outside)).message).toContain('outside the capture');
    expect(on.query()).toBe(true);
    simulated().synchronize();
    const graph = on.endCapture();
    graph.launch(on);
    expect(bytes(storage)).toEqual([9, 9, 9, 9]);
    expect(errorOf(() => on.endCapture()).kind).toBe('argument');
  });

  test('rule 84: the legacy stream cannot be captured, and a branch must be joined', () => {
    expect(errorOf(() => simulated().legacyStream().beginCapture()).statusName).toBe(
      'CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED'
    );
    const [on, side, storage] = [stream(), stream(), block(4)];
    const fork = native.createEvent(simulated(), false);
    on.beginCapture();
    record(on, fork);
    expect(errorOf(() => fork.query()).statusName).toBe('CUDA_ERROR_CAPTURED_EVENT');
    wait(side, fork);
    storage.fill(0, 1, 1, 4, side);
    expect(errorOf(() => on.endCapture()).statusName).toBe('CUDA_ERROR_STREAM_CAPTURE_UNJOINED');
    expect(on.capturing || side.capturing).toBe(false);
    storage.fill(0, 1, 1, 4, side);
    expect(bytes(storage)).toEqual([1, 1, 1, 1]);
  });
});

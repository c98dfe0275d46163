import { ArgumentError, DriverError, empty, Event, FreedError, Stream, zeros } from '../../../src/index.ts';

const device = 'sim:0';

describe('graph capture', () => {
  test('rule 84: runs the captured work at each launch', () => {
    using stream = new Stream({ device });
    const array = zeros(4, { dtype: 'int32', stream });
    const target = empty(4, { dtype: 'int32', stream });
    using graph = stream.capture(() => {
      array.fill(7, { stream });
      target.copyFrom(array, { stream });
      expect(stream.capturing).toBe(true);
      expect(String(stream)).toContain('stream');
    });
    expect([...array.toTypedArray()]).toEqual([0, 0, 0, 0]);
    graph.launch(stream);
    expect([...target.toTypedArray()]).toEqual([7, 7, 7, 7]);
    expect(graph.device).toBe(stream.device);
  });

  test('rule 84: an export inside names the capturing stream and waits for nothing', () => {
    using stream = new Stream({ device });
    const array = zeros(4, { stream });
    stream.synchronize();
    stream.capture(() => {
      array.fill(1, { stream });
      expect(array.__cuda_array_interface__.stream).toBe(stream.handle);
    });
  });

  test('rule 84: forks to other streams and joins', () => {
    using stream = new Stream({ device });
    using side = new Stream({ device });
    const [a, b] = [zeros(4, { stream }), zeros(4, { stream: side })];
    stream.synchronize();
    side.synchronize();
    using graph = stream.capture(() => {
      side.wait(stream);
      a.fill(1, { stream });
      b.fill(2, { stream: side });
      stream.wait(side);
    });
    graph.launch(stream);
    expect([a.item(0), b.item(3)]).toEqual([1, 2]);
  });

  test('rule 84: what cannot be captured is refused and leaves the stream usable', async () => {
    using stream = new Stream({ device });
    using outside = new Stream({ device });
    const array = zeros(4, { stream });
    const before = new Event({ device });
    outside.record(before);
    stream.capture(() => {
      expect(() => array.toTypedArray({ stream })).toThrow(ArgumentError);
      expect(() => stream.synchronize()).toThrow(ArgumentError);
      expect(() => stream.wait(before)).toThrow(/outside the capture/);
      expect(() => stream.capture(() => undefined)).toThrow(ArgumentError);
    });
    const asynchronous = (): unknown => Promise.resolve(array.fill(1, { stream }));
    expect(() => stream.capture(asynchronous)).toThrow(ArgumentError);
    expect(() =>
      stream.capture(() => {
        throw new RangeError('inside');
      })
    ).toThrow(RangeError);
    expect(stream.capturing).toBe(false);
    expect(() => Stream.legacyDefault(device).capture(() => undefined)).toThrow(DriverError);
    array.fill(3, { stream });
    await stream.synchronizeAsync();
    expect(array.item(0)).toBe(3);
  });

  test('rule 101: a disposed graph is refused, a second dispose is not', () => {
    using stream = new Stream({ device });
    const graph = stream.capture(() => undefined);
    graph.dispose();
    graph.dispose();
    expect(() => graph.launch(stream)).toThrow(FreedError);
  });

  test('rules 84, 102: the graph keeps the memory of disposed arrays alive', () => {
    using stream = new Stream({ device });
    const array = zeros(4, { stream });
    const result = zeros(4, { stream });
    using graph = stream.capture(() => {
      array.fill(5, { stream });
      result.copyFrom(array, { stream });
    });
    array.dispose();
    graph.launch(stream);
    expect(result.item(0)).toBe(5);
  });
});

describe('stream priorities', () => {
  test('rule 95: lie in the range of the device and are clamped to it', () => {
    using low = new Stream({ device, priority: 100 });
    const { least, greatest } = low.device.streamPriorities;
    expect(greatest).toBeLessThan(least);
    expect(low.native.priority).toBe(least);
    using high = new Stream({ device, priority: -100 });
    expect(high.native.priority).toBe(greatest);
  });
});

/** Synchronization when Python imports a device array: the driver calls that the recording device logs. */

import { empty, type NDArray, python, recordDType, Stream, zeros } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { descriptorOf, ordersDuring, rec } from '../conformance/cai-support.ts';
import { ask, refusal } from './asking.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const { recording } = native();

if (obstacle === null) python.start({ python: pythonOfTests });

/** An array with work pending on `stream`. */
function written(stream: Stream): NDArray {
  return empty([64], { dtype: 'uint8', stream }).fill(1);
}

describeWith([], 'order of work', () => {
  let own: Stream;
  let foreign: bigint;
  /** The calls while `expression` runs. */
  const during = (expression: string, a: NDArray): string[] =>
    ordersDuring({ legacy: 1n, mine: 2n, own: own.handle, foreign }, () => ask(expression, a));
  const later = (action: () => void): string[] =>
    ordersDuring({ legacy: 1n, mine: 2n, own: own.handle, foreign }, action);

  beforeAll(() => python.run(sourceOf('dlpack_reader.py')));
  beforeEach(() => {
    recording.reset();
    own = new Stream(rec);
    foreign = recording.makeStream();
  });
  afterEach(() => {
    own.dispose();
    recording.destroyStream(foreign);
    recording.reset();
  });

  test('rule 14: a CudaArray has the interface of devices only', () => {
    const a = written(own);
    const told = '[type(a).__name__, a.device, hasattr(a, "__array_interface__"), a.__dlpack_device__()]';
    expect(ask(told, a)).toEqual(['CudaArray', 'cuda:0', false, [2, 0]]);
    expect(refusal('memoryview(a)', a)).toMatch(/^TypeError/);
    expect(refusal('a.__array__()', a)).toMatch(/^TypeError: NumPy cannot read device memory/);
  });

  test.each([
    ['stream=None', ['record own', 'wait legacy']],
    ['stream=1', ['record own', 'wait legacy']],
    ['stream=2', ['record own', 'wait mine']],
    ['stream=-1', []]
  ])('rules 151, 154: %s', (stream, orders) => {
    expect(during(`a.__dlpack__(${stream})`, written(own))).toEqual(orders);
  });

  test('rules 151, 154: a stream of the consumer waits on the device; the one of the work need not wait', () => {
    expect(during(`a.__dlpack__(stream=${foreign})`, written(own))).toEqual(['record own', 'wait foreign']);
    expect(during(`a.__dlpack__(stream=${own.handle})`, written(own))).toEqual([]);
  });

  test('rules 155, 71: 0 and invalid streams are refused, before anything waits', () => {
    expect(during('[a.__dlpack_device__()]', written(own))).toEqual([]);
    expect(refusal('a.__dlpack__(stream=0)', written(own))).toMatch(
      /^ValueError: stream 0 is ambiguous.*rule 151/
    );
    expect(refusal('a.__dlpack__(stream=-2)', written(own))).toMatch(/^ValueError/);
  });

  test('rules 82, 162: later work on the array waits for the consumer, on a default stream and on one of ours', () => {
    using other = new Stream(rec);
    const names = { legacy: 1n, own: own.handle, other: other.handle, foreign };
    for (const [name, handle] of [
      ['legacy', 1n],
      ['other', other.handle]
    ] as const) {
      const a = written(own);
      ask(`a.__dlpack__(stream=${handle})`, a);
      expect(ordersDuring(names, () => a.fill(2))).toEqual([`record ${name}`, 'wait own', 'write own']);
    }
    // The consumer may have destroyed its stream: all work of its context is waited for.
    const a = written(own);
    ask(`a.__dlpack__(stream=${foreign})`, a);
    expect(ordersDuring(names, () => a.fill(2))).toEqual(['record context', 'wait own', 'write own']);
    expect(ordersDuring(names, () => a.fill(3))).toEqual(['write own']);
    // It requested no synchronization.
    ask('a.__dlpack__(stream=-1)', a);
    expect(ordersDuring(names, () => a.fill(4))).toEqual(['write own']);
  });

  test('rule 162: a stream that its owner destroyed is not used again', () => {
    const gone = recording.makeStream();
    const a = written(own);
    ask(`a.__dlpack__(stream=${gone})`, a);
    recording.destroyStream(gone);
    recording.clear();
    a.fill(2);
    a.synchronize();
    a.dispose();
    native().drainReleases(true);
    expect(recording.log().filter(call => call.includes(`0x${gone.toString(16)}`))).toEqual([]);
  });

  test('rule 137: only writers wait for a consumer of a read-only array', () => {
    using other = new Stream(rec);
    const names = { own: own.handle, other: other.handle };
    const a = written(own);
    ask(`a.__dlpack__(stream=${other.handle}, max_version=(1, 0))`, a.asReadOnly());
    const target = empty([64], { dtype: 'uint8', stream: own });
    expect(ordersDuring(names, () => target.copyFrom(a, { stream: own }))).not.toContain('wait own');
    expect(ordersDuring(names, () => a.fill(3))).toEqual(['record other', 'wait own', 'write own']);
  });

  test('rules 66 to 71, 79: the interface names the stream of the work, as in JavaScript', () => {
    const a = written(own).slice('::2');
    // Consumers that ignore the stream use the legacy default one.
    expect(during('a.__cuda_array_interface__', a)).toEqual(['record own', 'wait legacy']);
    const { data, ...rest } = descriptorOf(a);
    const told = ask('a.__cuda_array_interface__', a) as Record<string, unknown>;
    expect(told).toEqual({
      ...rest,
      shape: [32],
      strides: [2],
      data: [Number(data[0]), false],
      stream: Number(own.handle)
    });
  });

  test('rules 68, 69: the legacy default stream is 1', () => {
    const a = empty([4], { stream: Stream.legacyDefault(own.device) }).fill(1);
    expect(ask('a.__cuda_array_interface__["stream"]', a)).toBe(1);
  });

  test('rule 80: work of several streams is joined on the device', () => {
    using other = new Stream(rec);
    const a = written(own);
    ask('a.__dlpack__(stream=1)', a);
    const names = { own: own.handle, other: other.handle, legacy: 1n };
    a.fill(2, { stream: other });
    const target = empty([64], { dtype: 'uint8', stream: own });
    target.copyFrom(a, { stream: own });
    const orders = ordersDuring(names, () => ask('a.__cuda_array_interface__', a));
    expect(orders.filter(order => order === 'wait own' || order === 'wait other').length).toBeLessThanOrEqual(
      1
    );
    expect([Number(own.handle), Number(other.handle)]).toContain(
      ask('a.__cuda_array_interface__["stream"]', a)
    );
  });

  skipUnderPlugin('rules 81: without earlier work there is nothing to wait for', () => {
    expect(ask('a.__cuda_array_interface__["stream"]', empty([4], rec))).toBeUndefined();
  });

  test('rules 19, 22, 45, 55, 60: strides, pointer, flag and fields are exported', () => {
    const a = zeros([3, 4], { ...rec, dtype: 'float32' });
    const entry = (key: string, of: NDArray): unknown => ask(`a.__cuda_array_interface__["${key}"]`, of);
    expect(entry('strides', a)).toBeUndefined();
    expect(entry('strides', a.T)).toEqual([4, 16]);
    expect(entry('strides', a.slice('0:1').broadcastTo([3, 4]))).toEqual([0, 4]);
    expect(entry('data', a.slice('0:1').broadcastTo([3, 4]))).toEqual([Number(a.pointer), true]);
    expect(entry('data', a.slice('1:1'))).toEqual([0, false]);
    expect(entry('shape', a.slice(1, 1))).toEqual([]);
    expect(entry('data', a.asReadOnly())).toEqual([Number(a.pointer), true]);
    const record = zeros([2], {
      ...rec,
      dtype: recordDType([
        ['x', '<f4'],
        ['y', '<i8']
      ])
    });
    expect([entry('typestr', record), entry('descr', record)]).toEqual([
      '|V12',
      [
        ['x', '<f4'],
        ['y', '<i8']
      ]
    ]);
    expect(refusal('a.__cuda_array_interface__', zeros([1], { ...rec, dtype: 'bfloat16' }))).toMatch(
      /^AttributeError: bfloat16.*rule 44/
    );
  });

  test('rules 49, 50: a mask is exported with the interface, and excludes DLPack', () => {
    const mask = zeros([4], { ...rec, dtype: 'bool' });
    const a = zeros([4], rec).withMask(mask);
    const told = ask('[a.__cuda_array_interface__["mask"].__cuda_array_interface__["typestr"]]', a);
    expect(told).toEqual(['|b1']);
    for (const call of ['a.__dlpack__()', 'from_object(a)'])
      expect(refusal(call, a)).toMatch(/^BufferError: .*withMask\(null\).*rule 49/);
  });

  test('rule 176: the work stream of the table waits, and is waited for', () => {
    const a = written(own);
    expect(during('delete(from_object(a))', a)).toEqual(['record own', 'wait legacy']);
    expect(later(() => a.fill(2))).toEqual(['record legacy', 'wait own', 'write own']);
    expect(during('borrow(a)', a)).toEqual(['record own', 'wait legacy']);
  });

  test('rules 147, 153: a copy to the host is ready on return', () => {
    const a = written(own);
    const orders = during('read(a.__dlpack__(dl_device=(1, 0), max_version=(1, 3)))["flags"]', a);
    expect(orders).toContain('host');
    expect(ask('read(a.__dlpack__(dl_device=(1, 0), max_version=(1, 3)))["flags"]', a)).toBe(2);
    expect(refusal('a.__dlpack__(dl_device=(1, 0), stream=1)', a)).toMatch(/^ValueError.*rule 153/);
  });

  test('an imported array of our own is ordered with its source', () => {
    const a = written(own);
    const back = ask('a', a) as NDArray;
    using other = new Stream(rec);
    const orders = ordersDuring({ own: own.handle, other: other.handle }, () =>
      back.fill(2, { stream: other })
    );
    expect(orders).toEqual(['record own', 'wait other', 'write other']);
    a.dispose();
    back.dispose();
  });
});

/** Arrays between this library and ordinary Python processes, both ways (rules 188 to 195). */

import { arange, array, zeros } from '../../src/array/creation.ts';
import type { NDArray } from '../../src/array/array.ts';
import { recordDType } from '../../src/dtype/resolve.ts';
import { openShared, share } from '../../src/sharing/index.ts';
import { describeWith } from '../src/python/environment.ts';
import { hosted, on, views, ways } from '../src/sharing/arrays.ts';
import { closed, peer, withPythonPeer } from './sharing-peer.ts';

withPythonPeer();

/** Reads and writes without any library. */
const PLAIN = `
  import ctypes, itertools
  def elements(a, write=None):
      """In order; every element becomes what is to be written."""
      interface = a.__array_interface__
      data, strides = interface["data"], interface["strides"]
      if strides is None:
          strides, step = [], a.itemsize
          for length in reversed(a.shape):
              strides.insert(0, step)
              step *= length
      found = []
      for index in itertools.product(*map(range, a.shape)):
          at = interface["offset"] + sum(one * stride for one, stride in zip(index, strides))
          found.append(ctypes.c_float.from_buffer_copy(data[at:at + 4]).value)
          if write is not None:
              data[at:at + 4] = bytes(ctypes.c_float(write))
      return found
`;

describe.each(ways)('opened in Python: memory of %s', (_name, way, make) => {
  test.each(views)('rules 188, 195: %s is the same memory in both processes', async (_view, viewOf) => {
    using whole = make();
    using view = viewOf(whole);
    const lease = await share(view);
    expect(lease.way).toBe(way);
    const before = [view.toNested()].flat(Infinity as 1);
    const seen = await peer.run(
      `${PLAIN}
  with stridelab.open(argument) as a:
      result = [elements(a), a.shape, a.strides, a.dtype, a.readonly, a.nbytes]
      elements(a, 99)`,
      lease.token
    );
    expect(seen).toEqual([before, view.shape, view.strides, 'float32', false, view.size * 4]);
    await closed(lease);
    expect(new Set([view.toNested()].flat(Infinity as 1))).toEqual(new Set([99]));
    const others = [whole.toNested()].flat(Infinity as 1).filter(value => (value as unknown) !== 99);
    expect(others).toHaveLength(48 - view.size);
  });

  test('rule 211: the memory outlives the array and the lease while Python has it open', async () => {
    const whole = make();
    const lease = await share(whole);
    await peer.run('kept = stridelab.open(argument)', String(lease));
    lease.release();
    whole.dispose();
    expect(await peer.run(`${PLAIN}\n  result = elements(kept)[47]`)).toBe(47);
    expect(lease.openers).toBe(1);
    await peer.run('del kept');
    await lease.drained();
  });
});

describeWith(['numpy'], 'opened in Python: what NumPy sees', () => {
  const values: readonly (readonly [dtype: string, make: () => NDArray, expected: string])[] = [
    ['bool', () => array([true, false], { ...on, dtype: 'bool' }), 'numpy.array([True, False])'],
    ['int8', () => array([-1, 2], { ...on, dtype: 'int8' }), 'numpy.array([-1, 2], "i1")'],
    ['uint64', () => array([1n, 2n ** 63n], { ...on, dtype: 'uint64' }), 'numpy.array([1, 2**63], "u8")'],
    ['float16', () => array([0.5, 2], { ...on, dtype: 'float16' }), 'numpy.array([0.5, 2], "f2")'],
    ['float64', () => array([[1, 2]], { ...on, dtype: 'float64' }), 'numpy.array([[1, 2]], "f8")']
  ];
  test.each(values)('%s by the array interface, DLPack and the buffer', async (dtype, make, expected) => {
    using made = make();
    const lease = await share(made);
    const same = await peer.run<boolean[]>(
      `
       import numpy
       with stridelab.open(argument) as a:
           expected = ${expected}
           ways = [numpy.asarray(a), numpy.from_dlpack(a)]
           if a.dtype != "float16":
               ways.append(numpy.asarray(a.memoryview()))
           result = [bool((way == expected).all()) and way.dtype == expected.dtype for way in ways]
           del ways`,
      lease.token
    );
    expect(same).toEqual(dtype === 'float16' ? [true, true] : [true, true, true]);
    await closed(lease);
  });

  test('rules 45 to 47: records keep their fields', async () => {
    using made = zeros(3, {
      ...on,
      dtype: recordDType([
        ['a', '<i4'],
        ['b', '<f8', [2]]
      ] as never)
    });
    const lease = await share(made);
    const seen = await peer.run(
      `
       import numpy
       with stridelab.open(argument) as a:
           x = numpy.asarray(a)
           result = [str(x.dtype.names), x["b"].shape]
           del x`,
      lease.token
    );
    expect(seen).toEqual(["('a', 'b')", [3, 2]]);
    await closed(lease);
  });

  test('rules 59, 137, 138: a read-only share cannot be written through any protocol', async () => {
    using made = hosted();
    const lease = await share(made, { readOnly: true });
    const failures = await peer.run(
      `
       import numpy
       result = []
       with stridelab.open(argument) as a:
           for x in (numpy.asarray(a), numpy.from_dlpack(a)):
               try:
                   x[0, 0] = 1
               except ValueError as error:
                   result.append(str(error))
           try:
               a.__dlpack__()
           except BufferError as error:
               result.append(str(error))
           del x`,
      lease.token
    );
    expect(failures).toEqual([
      expect.stringContaining('read-only') as string,
      expect.stringContaining('read-only') as string,
      expect.stringContaining('rule 137') as string
    ]);
    await closed(lease);
  });

  test('rules 102, 163: views outlive the array that they came from, and the owner is informed of the last', async () => {
    using made = hosted();
    const lease = await share(made);
    await peer.run(
      `
       import numpy
       with stridelab.open(argument) as a:
           views = [numpy.asarray(a), numpy.from_dlpack(a)]`,
      lease.token
    );
    lease.release();
    expect(await peer.run('a = views.pop(); result = float(a[5, 7])')).toBe(47);
    expect(await peer.run('result = float(views.pop()[5, 6]) + float(a[0, 1])')).toBe(47);
    expect(lease.openers).toBe(1);
    await peer.run('del a');
    await lease.drained();
  });

  test('an error that passes through a consumer is unchanged', async () => {
    using made = zeros(4, { ...on, dtype: 'bfloat16' });
    const lease = await share(made);
    const kinds = await peer.run(
      `
       import numpy
       def f(*_): pass
       result = []
       with stridelab.open(argument) as a:
           for attempt in (lambda: numpy.from_dlpack(a), lambda: f(a.__dlpack__(), 1 / 0)):
               try:
                   attempt()
               except Exception as error:
                   result.append(type(error).__name__)`,
      lease.token
    );
    expect(kinds).toEqual([
      expect.stringMatching(/^(BufferError|RuntimeError|TypeError)$/),
      'ZeroDivisionError'
    ]);
    await closed(lease);
  });
});

describeWith(['torch'], 'opened in Python: what PyTorch sees', () => {
  test('rules 44, 129: bfloat16 is exported by DLPack, written there and read here', async () => {
    using made = arange(6, { ...on, dtype: 'bfloat16' }).reshape(2, 3);
    const lease = await share(made);
    const seen = await peer.run(
      `
       import torch
       with stridelab.open(argument) as a:
           t = torch.from_dlpack(a)
           result = [str(t.dtype), t.tolist()]
           t += 1
           del t`,
      lease.token
    );
    expect(seen).toEqual([
      'torch.bfloat16',
      [
        [0, 1, 2],
        [3, 4, 5]
      ]
    ]);
    await closed(lease);
    expect(made.toNested()).toEqual([
      [1, 2, 3],
      [4, 5, 6]
    ]);
  });
});

describe('shared by Python', () => {
  test('arrays that it creates without NumPy, and bytes, read-only', async () => {
    const token = await peer.run<string>(
      'lease = stridelab.share(b"abcd"); result = [str(lease), lease.way, lease.copied]'
    );
    using opened = await openShared(token[0]!);
    expect([opened.toNested(), opened.readOnly, token[1], token[2]]).toEqual([
      [97, 98, 99, 100],
      true,
      'memfd',
      true
    ]);
    opened.dispose();
    await peer.run('lease.release(); assert lease.drained(10)');
  });

  test('a lease expires, and a token of an expired one is refused with the reason', async () => {
    const token = await peer.run<string>(
      'lease = stridelab.share(b"abcd", timeout=0.05); result = str(lease)'
    );
    await peer.run('assert lease.drained(10) and lease.freed');
    await expect(openShared(token)).rejects.toMatchObject({
      name: 'IpcError',
      message: expect.stringContaining('share the array again') as string
    });
    await expect(peer.run('stridelab.share(b"abcd", timeout=-1)')).rejects.toThrow('seconds');
  });

  test('rule 190: a process does not open what it shares itself', async () => {
    const attempt = peer.run('with stridelab.share(b"x") as lease: stridelab.open(lease)');
    await expect(attempt).rejects.toMatchObject({
      name: 'IpcError',
      message: expect.stringContaining('190') as string
    });
  });
});

describeWith(['numpy'], 'shared by Python: arrays of NumPy', () => {
  const shapes: readonly (readonly [name: string, code: string])[] = [
    ['whole', 'x'],
    ['a slice with an offset', 'x[2:5, 3:7:2]'],
    ['negative strides', 'x[::-1, ::-3]'],
    ['a transpose', 'x.T'],
    ['one element', 'x[5, 7, ...]']
  ];
  test.each(shapes)('%s of shared_empty is the same memory in both processes', async (_name, code) => {
    const [token, copied, seen] = await peer.run<[string, boolean, unknown]>(
      `
       import numpy
       x = stridelab.shared_empty((6, 8), "f4")
       x[...] = numpy.arange(48).reshape(6, 8)
       view = ${code}
       lease = stridelab.share(view)
       result = [str(lease), lease.copied, view.tolist()]`
    );
    expect(copied).toBe(false);
    {
      using opened = await openShared(token, { stream: undefined });
      expect(opened.toNested()).toEqual(seen);
      opened.fill(99);
      opened.stream.synchronize();
    }
    const [all, others] = await peer.run<[boolean, number]>(
      'lease.release(); assert lease.drained(10); result = [bool((view == 99).all()), int((x != 99).sum()) + view.size]'
    );
    expect([all, others]).toEqual([true, 48]);
  });

  const dtypes = ['?', 'i1', 'u8', 'f2', 'f8', 'c8', 'M8[ns]', 'S3', 'U2', 'i4,(2)f8'];
  test.each(dtypes)('%s is copied once, and reported as copied', async dtype => {
    const [token, copied, itemsize] = await peer.run<[string, boolean, number]>(
      `
       x = numpy.zeros((2, 3), ${JSON.stringify(dtype)})[:, ::2]
       lease = stridelab.share(x)
       result = [str(lease), lease.copied, x.itemsize]`
    );
    using opened = await openShared(token);
    expect([copied, opened.shape, opened.dtype.itemsize]).toEqual([true, [2, 2], itemsize]);
  });

  test('rules 41, 42 and masks: arrays that cannot be shared are refused with the reason', async () => {
    const refused = await peer.run(
      `
       result = []
       for x in (numpy.array([None]), numpy.zeros(2, ">f4"), numpy.ma.masked_array([1, 2], [0, 1])):
           try:
               stridelab.share(x)
           except stridelab.IpcError as error:
               result.append(str(error))`
    );
    expect(refused).toEqual([
      expect.stringContaining('rule 41') as string,
      expect.stringContaining('rule 42') as string,
      expect.stringContaining('mask') as string
    ]);
  });

  test('empty arrays are shared without memory', async () => {
    const token = await peer.run<string>('result = str(stridelab.share(numpy.zeros((0, 3))))');
    using opened = await openShared(token);
    expect([opened.shape, opened.size]).toEqual([[0, 3], 0]);
  });
});

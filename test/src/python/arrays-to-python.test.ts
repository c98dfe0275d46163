/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- what Python gives has no static type */
/** Our arrays in Python: the same memory, as seen by NumPy and by Python itself. */

import {
  BestFitPoolMemoryManager,
  currentManager,
  StatisticsAdaptor,
  usingMemoryManager
} from '../../../src/memory/index.ts';
import {
  arange,
  array,
  BufferError,
  empty,
  FreedError,
  full,
  NDArray,
  python,
  recordDType,
  zeros,
  type PyObject
} from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { ask, raised } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

function liveBytes(): number {
  return native().liveBlocks().bytes;
}

describeWith([], 'the object that Python has for an array', () => {
  beforeAll(() => python.run('import ctypes, threading, weakref, zlib'));

  test('describes itself like arrays of Python', () => {
    const a = arange(6, { dtype: 'float32' }).reshape(2, 3);
    const told = ask(
      '[type(a).__module__, type(a).__name__, a.shape, a.strides, str(a.dtype), a.ndim, a.size, a.itemsize, a.nbytes, a.readonly, a.device, len(a), repr(a)]',
      a
    );
    const text = '<stridelab.HostArray float32 (2, 3) on cpu>';
    expect(told).toEqual([
      ...['stridelab', 'HostArray', [2, 3], [12, 4], 'float32', 2, 6, 4, 24, false, 'cpu', 2, text]
    ]);
    expect(ask('repr(a)', a.slice(0, 1).asReadOnly())).toBe(
      '<stridelab.HostArray float32 () on cpu, read-only>'
    );
  });

  test('frees its memory as soon as Python drops it, before JavaScript continues', () => {
    using _ = usingMemoryManager(StatisticsAdaptor.over(BestFitPoolMemoryManager));
    const live = (): number => (currentManager('sim:0') as StatisticsAdaptor).statistics().currentBytes;
    python.run('kept = []\nclass Holder: pass\nholder = Holder()');
    const kept = python.evaluate('kept') as PyObject;
    const holder = python.evaluate('holder') as PyObject;
    const drops: readonly (() => void)[] = [
      () => python.run('kept.clear()'),
      () => void python.evaluate('kept.clear()'),
      () => void kept['clear'](),
      () => python.setItem(kept, 0, null),
      () => python.deleteItem(kept, 0),
      () => void (holder['array'] = null),
      () => delete holder['array'],
      () => expect(() => python.run('kept.clear()\nholder.array = None\n1 / 0')).toThrow('division by zero')
    ];
    for (const drop of drops) {
      python.run('kept.clear()');
      const a = zeros(1000, { dtype: 'float64', device: 'sim:0' });
      if (/holder/.test(drop.toString())) holder['array'] = a;
      else kept['append'](a);
      a.stream.synchronize();
      a.dispose();
      expect(live()).toBe(8000);
      drop();
      expect([drop.toString(), live()]).toEqual([drop.toString(), 0]);
    }
  });

  test('rule 14: has the attributes of host memory, and none of a device', () => {
    const names = ask('dir(a)', zeros([2])) as string[];
    for (const name of [
      '__array_interface__',
      '__dlpack__',
      '__dlpack_device__',
      '__dlpack_c_exchange_api__'
    ])
      expect(names).toContain(name);
    expect(ask('hasattr(a, "__cuda_array_interface__")', zeros([2]))).toBe(false);
    expect(ask('a.__dlpack_device__()', zeros([2]))).toEqual([1, 0]);
  });

  test('can be created in JavaScript only, cannot be changed or pickled, and can be referenced weakly', () => {
    const a = zeros([2]);
    expect(raised(() => ask('type(a)()', a)).message).toMatch(/TypeError: .*cannot be constructed in Python/);
    expect(raised(() => ask('setattr(a, "shape", (1,))', a)).type).toBe('AttributeError');
    expect(raised(() => ask('__import__("pickle").dumps(a)', a)).type).toBe('TypeError');
    expect(raised(() => ask('len(a)', a.slice(0))).message).toMatch(/0-d array/);
    python.run('def refer(a): return weakref.ref(a)() is a');
    expect((python.evaluate('refer') as PyObject)(a)).toBe(true);
  });

  test('is returned as an array on the same storage, from any place in a result', () => {
    const a = arange(6).reshape(2, 3);
    const seen: unknown[] = [];
    const show = (...values: unknown[]): number => seen.push(...values);
    python.run('def give(show, a, *, k, nest): show(a, k, nest["x"][0][0], f=a); return a');
    const { T } = a;
    seen.push((python.evaluate('give') as PyObject)(show, a, python.kw({ k: T, nest: { x: [[a]] } })));
    const { f } = seen[3] as { f: unknown };
    for (const back of [seen[0], seen[2], f, seen[4]] as NDArray[]) {
      expect(back).toBeInstanceOf(NDArray);
      expect(back).not.toBe(a);
      expect([back.storage, back.shape, back.strides, back.dtype]).toEqual([
        a.storage,
        [2, 3],
        a.strides,
        a.dtype
      ]);
    }
    const k = seen[1] as NDArray;
    expect([k.storage, k.shape, k.strides]).toEqual([a.storage, [3, 2], T.strides]);
    expect(python.item(python.tuple([a]), 0)).toBeInstanceOf(NDArray);
    expect((python.toJS(python.dict({ a })) as { a: NDArray }).a.storage).toBe(a.storage);
  });

  test('is what python.array returns', () => {
    const a = arange(3);
    const object = python.array(a);
    expect(python.isObject(object)).toBe(true);
    expect(python.toJS(object['shape'])).toEqual([3]);
    expect(python.builtins['len'](object)).toBe(3);
  });

  test('is passed to another thread, and returned in a promise', async () => {
    python.run('def same(a): return a');
    const a = arange(4);
    const back = (await python.callAsync(python.evaluate('same') as PyObject, a)) as NDArray;
    expect(back.storage).toBe(a.storage);
  });

  test('rule 101: of a freed array is refused, of one freed later it lives on in Python', () => {
    const a = arange(4, { dtype: 'int64' });
    python.run('kept = None\ndef keep(a):\n global kept\n kept = a');
    (python.evaluate('keep') as PyObject)(a);
    a.dispose();
    expect(() => python.builtins['len'](a)).toThrow(FreedError);
    expect(() => python.array(a)).toThrow(FreedError);
    expect(python.toJS(python.evaluate('memoryview(kept).tolist()'))).toEqual([0, 1, 2, 3]);
    const back = python.evaluate('kept') as NDArray;
    expect(back.toNested()).toEqual([0n, 1n, 2n, 3n]);
    back.fill(7n);
    expect(python.toJS(python.evaluate('memoryview(kept).tolist()'))).toEqual([7, 7, 7, 7]);
    python.run('kept = None');
    expect(back.toNested()).toEqual([7n, 7n, 7n, 7n]);
  });

  test('keeps records and strides when it returns without its array', () => {
    const dtype = recordDType([
      ['x', '<f4'],
      ['', '|V4'],
      ['y', '<i8', [2]]
    ]);
    const a = zeros([3, 2], { dtype }).T;
    python.run('kept = []');
    (python.evaluate('kept.append') as PyObject)(a);
    a.dispose();
    const back = python.evaluate('kept.pop()') as NDArray;
    expect([back.dtype, back.shape, back.strides]).toEqual([dtype, [2, 3], [24, 48]]);
  });

  test('the last reference can be dropped on another thread, and frees the memory', () => {
    const before = liveBytes();
    const a = zeros([1 << 20], { dtype: 'uint8' });
    python.run('kept = []');
    (python.evaluate('kept.append') as PyObject)(a);
    a.dispose();
    expect(liveBytes()).toBeGreaterThanOrEqual(1 << 20);
    python.run('t = threading.Thread(target=kept.clear); t.start(); t.join()');
    native().drainReleases(true);
    expect(liveBytes()).toBeLessThanOrEqual(before);
  });

  skipUnderPlugin('an argument is released after its call', () => {
    const before = liveBytes();
    const a = zeros([1 << 20], { dtype: 'uint8' });
    python.builtins['len'](a);
    python.run('def take(a, *, b): return len(a)');
    expect((python.evaluate('take') as PyObject)(a, python.kw({ b: { c: [a, [a]] } }))).toBe(1 << 20);
    expect(ask('len(a[0][0])', [[a]])).toBe(1 << 20);
    a.dispose();
    native().drainReleases(true);
    expect(liveBytes()).toBeLessThanOrEqual(before);
  });

  test('buffers are as requested by their consumers, or refused', () => {
    const a = arange(12, { dtype: 'int16' }).reshape(3, 4);
    expect(
      ask('[memoryview(a).format, memoryview(a).strides, memoryview(a).c_contiguous, bytes(a)[:4]]', a)
    ).toEqual(['h', [8, 2], true, Uint8Array.of(0, 0, 1, 0)]);
    expect(ask('memoryview(a).f_contiguous', a.T)).toBe(true);
    expect(ask('memoryview(a).tobytes("F")[:4]', a)).toEqual(Uint8Array.of(0, 0, 4, 0));
    const strided = a.slice(null, '::2');
    expect(ask('memoryview(a).tolist()', strided)).toEqual([
      [0, 2],
      [4, 6],
      [8, 10]
    ]);
    expect(raised(() => ask('zlib.crc32(a)', strided)).message).toMatch(/BufferError: .*C-contiguous/);
    const chars = '(ctypes.c_char * 4).from_buffer(a)';
    expect(raised(() => ask(chars, a.asReadOnly())).message).toMatch(/not writable/);
    expect(ask('memoryview(a).readonly', a.asReadOnly())).toBe(true);
    expect(ask(`bytes(${chars})`, a)).toEqual(Uint8Array.of(0, 0, 1, 0));
  });

  test.each([
    'memoryview(a)[0]',
    '(ctypes.c_ubyte * 4).from_buffer(a)[0]',
    'ctypes.string_at(a.__array_interface__["data"][0], 1)[0]',
    'a.__dlpack__() and ctypes.string_at(a.__array_interface__["data"][0], 1)[0]'
  ])('rule 153: pending work is done when the memory is exported: %s', way => {
    const { simulated } = native();
    const schedule = simulated.schedule();
    simulated.setSchedule('hazard');
    try {
      const a = zeros([4], { dtype: 'uint8' });
      a.synchronize();
      a.fill(5);
      // The control: the work is held, so that a reader without synchronization sees the old contents.
      expect(ask('ctypes.string_at(a, 1)[0]', Number(a.pointer))).toBe(0);
      expect(ask(way, a)).toBe(5);
    } finally {
      simulated.setSchedule(schedule);
    }
  });

  test('asArray of the object is the array on its storage', () => {
    const a = arange(6).reshape(2, 3).T;
    for (const via of [undefined, 'exchange-table', 'dlpack', 'array-interface', 'buffer'] as const) {
      using back = python.asArray(python.array(a), { via });
      expect([back.pointer, back.shape, back.strides]).toEqual([a.pointer, a.shape, a.strides]);
    }
  });

  test('a view keeps the memory alive when the array and its object are released', () => {
    const a = full([4], 5, { dtype: 'uint8' });
    python.run('views = []\ndef view(a): views.append(memoryview(a))');
    (python.evaluate('view') as PyObject)(a);
    a.dispose();
    expect(python.toJS(python.evaluate('bytes(views.pop())'))).toEqual(Uint8Array.of(5, 5, 5, 5));
  });

  test('rule 44: a dtype without a typestr has neither interface nor format, and the error names the alternative', () => {
    const a = zeros([2], { dtype: 'bfloat16' });
    expect(ask('hasattr(a, "__array_interface__")', a)).toBe(false);
    expect(raised(() => ask('a.__array_interface__', a)).message).toMatch(/bfloat16.*use DLPack \(rule 44\)/);
    expect(raised(() => ask('memoryview(a)', a)).message).toMatch(/no format for bfloat16/);
    expect(ask('zlib.crc32(a)', a)).toBe(ask('zlib.crc32(bytes(4))', a));
  });

  test('rule 49: a mask is not exported, because no interface of the host has one', () => {
    const a = zeros([2]).withMask(array([1, 0], { dtype: 'bool' }));
    expect(() => python.builtins['len'](a)).toThrow(BufferError);
    expect(() => python.array(a)).toThrow(/withMask\(null\)/);
  });
});

describeWith(['numpy'], 'NumPy', () => {
  beforeAll(() => python.run('import numpy as np'));

  const WAYS = ['np.asarray(a)', 'np.from_dlpack(a)', 'np.array(a, copy=False)'];

  test.each(WAYS)('%s is the same memory, written on either side', way => {
    const a = arange(6, { dtype: 'float64' }).reshape(2, 3);
    python.run(`x = None\ndef take(a):\n global x\n x = ${way}`);
    (python.evaluate('take') as PyObject)(a);
    python.run('x[1, 2] = 42');
    expect(a.toNested()).toEqual([
      [0, 1, 2],
      [3, 4, 42]
    ]);
    a.fill(9);
    expect(python.toJS(python.evaluate('x.tolist()'))).toEqual([
      [9, 9, 9],
      [9, 9, 9]
    ]);
    python.run('x = None');
  });

  test.each([
    ['bool', [true, false], '|b1'],
    ['int8', [-1, 2], '|i1'],
    ['uint16', [1, 65535], '<u2'],
    ['int32', [-5, 6], '<i4'],
    ['int64', [1n, -2n], '<i8'],
    ['uint64', [1n, 2n], '<u8'],
    ['float16', [0.5, -2], '<f2'],
    ['float32', [0.5, -2], '<f4'],
    ['float64', [0.5, -2], '<f8']
  ] as const)('rule 32: %s', (dtype, values, typestr) => {
    const a = array([...values], { dtype });
    const plain = values.map(Number);
    for (const way of WAYS) {
      expect(ask(`${way}.dtype.str`, a)).toBe(typestr);
      expect((ask(`${way}.tolist()`, a) as unknown[]).map(Number)).toEqual(plain);
    }
  });

  test('rule 36: complex numbers', () => {
    const a = array([{ re: 1, im: -2 }], { dtype: 'complex64' });
    for (const way of WAYS) expect(ask(`repr(${way}.tolist())`, a)).toBe('[(1-2j)]');
  });

  test.each([
    ['transposed', (a: NDArray) => a.T],
    ['reversed', (a: NDArray) => a.slice('::-1', '::-2')],
    ['one of an axis', (a: NDArray) => a.slice(1)],
    ['0-d', (a: NDArray) => a.slice(1, 2)],
    ['empty', (a: NDArray) => a.slice('1:1')],
    ['an empty axis inside', (a: NDArray) => a.slice(null, '2:2')],
    ['broadcast', (a: NDArray) => a.slice('0:1').broadcastTo([4, 3])],
    ['one with a new axis', (a: NDArray) => a.reshape(2, 1, 3)]
  ])('rules 19 to 23, 117 to 119: %s', (_, viewOf) => {
    const base = arange(6, { dtype: 'int32' }).reshape(2, 3);
    const view = viewOf(base);
    for (const way of WAYS) {
      expect(ask(`${way}.shape`, view)).toEqual([...view.shape]);
      expect(ask(`${way}.tolist()`, view)).toEqual(view.toNested());
    }
    if (view.size > 0) expect(ask('np.asarray(a).ctypes.data', view)).toBe(Number(view.pointer));
  });

  test('rules 30, 59, 137: read-only memory cannot be written', () => {
    const a = arange(3);
    for (const way of WAYS) {
      expect(ask(`${way}.flags.writeable`, a)).toBe(true);
      expect(ask(`${way}.flags.writeable`, a.asReadOnly())).toBe(false);
      expect(ask(`${way}.flags.writeable`, a.broadcastTo([2, 3]))).toBe(false);
    }
  });

  test('rules 45, 46: records, with padding, nesting, titles and sub-arrays', () => {
    const dtype = recordDType([
      ['x', '<f4'],
      ['', '|V4'],
      [['long', 'n'], '<i8'],
      ['sub', '<i2', [2, 2]],
      [
        'in',
        [
          ['a', '|u1'],
          ['b', '<f8']
        ]
      ]
    ]);
    const a = zeros([2], { dtype });
    for (const way of ['np.asarray(a)', 'np.array(memoryview(a))']) {
      expect(
        ask(`[${way}.itemsize, ${way}.dtype.fields["sub"][1], ${way}.dtype.fields["in"][1]]`, a)
      ).toEqual([dtype.itemsize, 16, 24]);
    }
    python.run(
      'def write(a):\n r = np.asarray(a)\n r["x"][1] = 1.5\n r["n"][1] = -3\n r["sub"][1] = [[1, 2], [3, 4]]\n r["in"]["b"][1] = 2.25'
    );
    (python.evaluate('write') as PyObject)(a);
    expect(a.item(1)).toEqual({
      x: 1.5,
      n: -3n,
      sub: [
        [1, 2],
        [3, 4]
      ],
      in: { a: 0, b: 2.25 }
    });
    expect(ask('a.__array_interface__["descr"][2]', a)).toEqual([['long', 'n'], '<i8']);
    expect(raised(() => ask('a.__dlpack__()', a)).message).toMatch(/BufferError: .*no records.*rule 131/);
  });

  test('rules 37 to 40: dates, text and opaque bytes', () => {
    const dates = zeros([2], { dtype: 'datetime64[25us]' });
    expect(ask('np.asarray(a).dtype.str', dates)).toBe('<M8[25us]');
    expect(raised(() => ask('memoryview(a)', dates)).type).toBe('BufferError');
    const bytes = array(['ab', 'c'], { dtype: 'bytes3' });
    expect(ask('[np.asarray(a).dtype.str, np.asarray(a).tolist()]', bytes)).toEqual([
      '|S3',
      [Uint8Array.of(97, 98), Uint8Array.of(99)]
    ]);
    const text = array(['äb', '😀'], { dtype: 'str3' });
    expect(ask('[np.asarray(a).dtype.str, np.asarray(a).tolist()]', text)).toEqual(['<U3', ['äb', '😀']]);
    expect(ask('[np.asarray(a).dtype.str, np.asarray(a).tobytes()]', zeros([1], { dtype: 'void5' }))).toEqual(
      ['|V5', new Uint8Array(5)]
    );
  });

  test('rule 115: many axes', () => {
    const many = zeros(Array.from({ length: 40 }, () => 1));
    expect(ask('np.asarray(a).ndim', many)).toBe(40);
    expect(ask('np.from_dlpack(a).ndim', many)).toBe(40);
  });

  test('dtype is one of NumPy, so that it can be compared and requested', () => {
    expect(
      ask('[a.dtype == np.float32, np.result_type(a) == np.float32]', zeros([1], { dtype: 'float32' }))
    ).toEqual([true, true]);
    expect(ask('np.asarray(a.__array__(dtype="f8")).dtype.str', arange(2))).toBe('<f8');
    expect(ask('a.dtype.names', zeros([1], { dtype: recordDType([['x', '<f4']]) }))).toEqual(['x']);
  });

  test('results of NumPy can be written to an array', () => {
    const out = empty([4], { dtype: 'float64' });
    python.run(
      'def into(out): np.sqrt(np.arange(4.0), out=np.asarray(out)); np.add(out, 1, out=np.from_dlpack(out))'
    );
    (python.evaluate('into') as PyObject)(out);
    expect(out.toNested()).toEqual([1, 2, Math.SQRT2 + 1, Math.sqrt(3) + 1]);
  });
});

/** `__dlpack_c_exchange_api__` of our arrays, with its functions called like a C consumer would (rules 173 to 176). */

import { arange, NDArray, python, zeros, type PyObject } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { ask, refusal } from './asking.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

describeWith([], 'the exchange table', () => {
  beforeAll(() => python.run(sourceOf('dlpack_reader.py')));

  test('rules 173, 174: is one for both types, of DLPack 1.3, without an older one', () => {
    const told = '[table_of(a).major, table_of(a).minor, table_of(a).previous]';
    expect(ask(told, arange(2))).toEqual([1, 3, null]);
  });

  test('rule 175: hands out a managed tensor, whose deleter releases the memory', () => {
    const a = arange(6, { dtype: 'int16' }).reshape(2, 3).T;
    python.run('def one(a):\n t = from_object(a); told = managed_at(t); delete(t); return told');
    expect(ask('one(a)', a)).toEqual({
      flags: 0,
      device: [1, 0],
      dtype: [0, 16, 1],
      shape: [3, 2],
      strides: [1, 3],
      data: Number(a.pointer)
    });
    expect(ask('one(a)["flags"]', a.asReadOnly())).toBe(1);
    expect(refusal('from_object(a)', zeros([1], { dtype: 'bytes2' }))).toMatch(/^BufferError: .*no text/);
  });

  test('rule 175: lends a tensor, but not one of read-only memory', () => {
    const a = arange(6, { dtype: 'float32' }).slice('::-2');
    expect(ask('borrow(a)', a)).toMatchObject({ shape: [3], strides: [-2], data: Number(a.pointer) });
    expect(refusal('borrow(a)', a.asReadOnly())).toMatch(/^BufferError: .*cannot be borrowed.*rule 137/);
  });

  test('rule 175: makes an object of a tensor: our own array if the tensor is ours', () => {
    const a = arange(6, { dtype: 'float64' }).reshape(2, 3).slice(null, '::-1');
    const back = ask('to_object(a, from_object(a))', a) as NDArray;
    expect(back).toBeInstanceOf(NDArray);
    expect([back.pointer, back.shape, back.strides]).toEqual([a.pointer, a.shape, a.strides]);
    back.fill(2);
    expect(a.toNested()).toEqual([
      [2, 2, 2],
      [2, 2, 2]
    ]);
  });

  test('rule 131: a tensor of an unknown dtype is refused and deleted', () => {
    const before = native().liveBlocks().count;
    python.run(
      'def odd(a):\n t = allocate(a, [3]); Versioned.from_address(t).tensor.code = 99\n return to_object(a, t)'
    );
    expect(refusal('odd(a)', arange(1))).toMatch(/^BufferError: .*dtype \(99, .*is not supported/);
    native().drainReleases(true);
    expect(native().liveBlocks().count).toBeLessThanOrEqual(before + 1);
  });

  test.each([
    ['of an unknown dtype', 'dtype=(99, 64, 1)', /dtype \(99, 64, 1\) is not supported/],
    ['on an unknown device', 'device=(8, 0)', /expected host, CUDA, pinned or managed memory/]
  ])('rule 168: a tensor %s is deleted by Python code, and the error stays', (_, fields, reason) => {
    // It defines names that `dlpack_reader.py` also uses.
    const source = sourceOf('producers.py');
    python.run(`import sys\nother = {}\nexec(${JSON.stringify(source)}, other)`);
    python.run('unraisable = []\nsys.unraisablehook = unraisable.append');
    const make = `to_object(a, other["make_managed"](${fields}))`;
    expect(refusal(make, arange(1))).toMatch(/^BufferError: /);
    expect(refusal(make, arange(1))).toMatch(reason);
    expect(
      python.toJS(python.evaluate('[len(other["deleted"]), len(other["alive"]), len(unraisable)]'))
    ).toEqual([2, 0, 0]);
  });

  test.each([true, false])('rule 175: allocates with and without the GIL (%p)', held => {
    const gil = held ? 'True' : 'False';
    python.run(
      `def new(a):\n t = allocate(a, [2, 3], hold_gil=${gil}); told = managed_at(t); delete(t); return told`
    );
    expect(ask('new(a)', arange(1))).toMatchObject({ shape: [2, 3], strides: [3, 1], dtype: [2, 32, 1] });
    expect(ask(`allocate(a, [2], code=99, hold_gil=${gil})`, arange(1))).toMatch(/^BufferError: .*99/);
    expect(ask(`allocate(a, [2**40], hold_gil=${gil})`, arange(1))).toMatch(/^MemoryError: /);
    expect(ask(`allocate(a, [2], device_type=4, hold_gil=${gil})`, arange(1))).toMatch(/kDLOpenCL/);
  });

  test('allocates on another thread', async () => {
    python.run(
      'def elsewhere(a):\n t = allocate(a, [5]); told = managed_at(t)["shape"]; delete(t); return told'
    );
    const told: unknown = await python.callAsync(python.evaluate('elsewhere') as PyObject, arange(1));
    expect(python.toJS(told)).toEqual([5]);
  });

  test('rules 175, 176: returns the stream to work on', () => {
    expect(
      ask('[work_stream(a, 1), work_stream(a, 3), work_stream(a, 2), work_stream(a, 13)]', arange(1))
    ).toEqual([...[null, null, 1, 1]]);
    expect(refusal('work_stream(a, 8)', arange(1))).toMatch(/^BufferError: .*device type 8/);
  });
});

describeWith(['numpy'], 'a tensor of NumPy, by the exchange table', () => {
  test('rules 168, 175: is kept alive until its object and its array are released', () => {
    python.run(sourceOf('dlpack_reader.py'));
    python.run(`import numpy as np, weakref
made = []
class Named(np.ndarray): pass
def adopt(a):
    x = np.arange(8, dtype="f4").view(Named).reshape(4, 2)
    global ref
    ref = weakref.ref(x)
    capsule = x.__dlpack__(max_version=(1, 0))
    address = _api.PyCapsule_GetPointer(capsule, b"dltensor_versioned")
    take(capsule)
    made.append(to_object(a, address))
    return [x.ctypes.data == made[0].__array_interface__["data"][0], type(made[0]) is type(a)]`);
    const alive = (): unknown => python.evaluate('ref() is not None');
    expect(ask('adopt(a)', arange(1))).toEqual([true, true]);
    expect(alive()).toBe(true);
    {
      using back = python.evaluate('made.pop()') as NDArray;
      expect(alive()).toBe(true);
      expect(back.toNested()).toEqual([
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7]
      ]);
    }
    native().drainReleases(true);
    expect(alive()).toBe(false);
  });
});

/** `__dlpack__` of our arrays called from Python: the tensors, version negotiation, rejected arguments, and deleters. */

import { arange, array, python, zeros, type NDArray, type PyObject } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { ask, refusal } from './asking.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

interface Told {
  readonly name: string;
  readonly version: [number, number] | null;
  readonly flags: number | null;
  readonly device: [number, number];
  readonly dtype: [number, number, number];
  readonly shape: number[] | null;
  readonly strides: number[] | null;
  readonly data: number;
  readonly deleter: boolean;
}

const NEWEST = 'max_version=(1, 3)';

/** The fields of the tensor of `a.__dlpack__(…)`. */
function read(a: NDArray, call = NEWEST): Told {
  return python.toJS((python.evaluate(`lambda a: read(a.__dlpack__(${call}))`) as PyObject)(a)) as Told;
}

describeWith([], '__dlpack__', () => {
  beforeAll(() => python.run(sourceOf('dlpack_reader.py')));

  test.each([
    ['', 'dltensor', null],
    ['max_version=None', 'dltensor', null],
    ['max_version=(0, 8)', 'dltensor', null],
    ['max_version=(1, 0)', 'dltensor_versioned', [1, 0]],
    ['max_version=(1, 1)', 'dltensor_versioned', [1, 1]],
    [NEWEST, 'dltensor_versioned', [1, 3]],
    ['max_version=(1, 9)', 'dltensor_versioned', [1, 3]],
    ['max_version=(2, 0)', 'dltensor_versioned', [1, 3]]
  ])('rules 107, 143, 164: (%s) gives %s', (call, name, version) => {
    const told = read(arange(3), call);
    expect([told.name, told.version, told.deleter]).toEqual([name, version, true]);
  });

  test('rules 114, 116, 118: address, shape and strides in elements', () => {
    const a = arange(24, { dtype: 'int16' }).reshape(2, 3, 4);
    for (const call of ['', NEWEST]) {
      expect(read(a, call)).toMatchObject({
        device: [1, 0],
        dtype: [0, 16, 1],
        shape: [2, 3, 4],
        strides: [12, 4, 1],
        data: Number(a.pointer)
      });
      const view = a.slice('::-1', 1, '::2');
      expect(read(view, call)).toMatchObject({
        shape: [2, 2],
        strides: [-12, 2],
        data: Number(view.pointer)
      });
    }
  });

  test('rules 111, 115: no address without elements, no shape without axes', () => {
    expect(read(zeros([0, 3]))).toMatchObject({ data: 0, shape: [0, 3], strides: [3, 1] });
    const a = arange(3);
    expect(read(a.slice(2))).toMatchObject({
      data: Number(a.pointer) + 2 * a.dtype.itemsize,
      shape: null,
      strides: null
    });
  });

  test('rules 137, 140: read-only is a flag, which the unversioned struct does not have', () => {
    const a = arange(3).asReadOnly();
    expect([read(arange(3)).flags, read(a).flags, read(arange(3).broadcastTo([2, 3])).flags]).toEqual([
      0, 1, 1
    ]);
    expect(refusal('a.__dlpack__()', a)).toMatch(
      /^BufferError: a read-only array needs max_version.*rule 137/
    );
  });

  test.each([
    ['bool', [6, 8, 1]],
    ['bfloat16', [4, 16, 1]],
    ['complex128', [5, 128, 1]],
    ['float8_e4m3fn', [10, 8, 1]],
    ['float32_x4', [2, 32, 4]]
  ])('rules 125 to 127: %s', (dtype, triple) => {
    expect(read(zeros([2], { dtype })).dtype).toEqual(triple);
  });

  test('rules 127, 128, 144: dtypes that a version does not have are refused', () => {
    const small = zeros([2], { dtype: 'float8_e5m2' });
    expect(refusal('a.__dlpack__()', small)).toMatch(
      /needs DLPack 1\.1, the consumer asked for the unversioned/
    );
    // PyTorch requests 1.0 and accepts them: the struct contains its own version (rule 109).
    expect(read(small, 'max_version=(1, 0)').version).toEqual([1, 1]);
    expect(read(small, 'max_version=(1, 1)').version).toEqual([1, 1]);
    expect(read(zeros([2], { dtype: 'int4' })).flags).toBe(4);
    expect(refusal('a.__dlpack__()', zeros([2], { dtype: 'int4' }))).toMatch(
      /int4 needs DLPack 1\.0, .*unversioned/
    );
  });

  test('rules 120, 131: an array without a form in DLPack is a BufferError', () => {
    expect(refusal('a.__dlpack__()', zeros([1], { dtype: 'datetime64[s]' }))).toMatch(
      /BufferError: .*no dates/
    );
    expect(refusal('a.__dlpack__()', zeros([1], { dtype: 'bytes3' }))).toMatch(/BufferError: .*no text/);
  });

  test('rule 142: keywords only, by their names, of their types', () => {
    const a = arange(3);
    expect(refusal('a.__dlpack__(None)', a)).toMatch(/^TypeError: .*keyword arguments only/);
    expect(refusal('a.__dlpack__(streams=1)', a)).toMatch(
      /^TypeError: .*unexpected keyword argument 'streams'/
    );
    expect(refusal('a.__dlpack__(max_version=1)', a)).toMatch(/^TypeError: max_version must be a tuple/);
    expect(refusal('a.__dlpack__(max_version=(1, -1))', a)).toMatch(
      /^ValueError: max_version is out of range/
    );
    expect(refusal('a.__dlpack__(dl_device=(1, "0"))', a)).toMatch(/^TypeError/);
    expect(refusal('a.__dlpack__(stream=1.5)', a)).toMatch(/^TypeError/);
    expect(refusal('a.__dlpack__(stream=2**70)', a)).toMatch(/^ValueError: stream is out of range/);
    expect(read(a, 'stream=None, max_version=(1, 3), dl_device=None, copy=None').flags).toBe(0);
  });

  test('rules 141, 153: host memory accepts no stream', () => {
    for (const stream of [-1, 1, 2, 4096])
      expect(refusal(`a.__dlpack__(stream=${stream})`, arange(3))).toMatch(
        /^ValueError: stream .*host.*rule 153/
      );
    expect(ask('a.__dlpack_device__()', arange(3))).toEqual([1, 0]);
  });

  test('rules 139, 147, 150: a copy is marked, is other memory, and can be written', () => {
    const a = arange(6, { dtype: 'int32' }).reshape(2, 3).T;
    const copy = read(a, `${NEWEST}, copy=True`);
    expect(copy).toMatchObject({ flags: 2, shape: [3, 2], strides: [2, 1], device: [1, 0] });
    expect(copy.data).not.toBe(Number(a.pointer));
    expect(read(a.asReadOnly(), 'copy=True').name).toBe('dltensor');
    expect(read(a, `${NEWEST}, copy=False`).data).toBe(Number(a.pointer));
    expect(read(a, `${NEWEST}, dl_device=(1, 0)`).data).toBe(Number(a.pointer));
    expect(read(a, `${NEWEST}, dl_device=(1, 0), copy=True`).flags).toBe(2);
  });

  test('rules 144, 147: an unreachable device and a forbidden copy are refused', () => {
    const a = arange(3);
    expect(refusal('a.__dlpack__(dl_device=(4, 0))', a)).toMatch(
      /^BufferError: cannot export to kDLOpenCL 0.*rule 147/
    );
    const forbidden = 'a.__dlpack__(dl_device=(2, 0), copy=False)';
    expect(refusal(forbidden, a)).toMatch(/^stridelab.CopyRequiredError: copy=False.*rule 144/);
    python.run(`def caught(a, kind):\n try: ${forbidden}\n except kind: return True`);
    for (const kind of ['BufferError', 'ValueError'])
      expect((python.evaluate('caught') as PyObject)(a, python.evaluate(kind))).toBe(true);
  });

  test('a copy is requested on another thread while JavaScript runs its event loop', async () => {
    const a = arange(3);
    python.run(`def copied(a): return read(a.__dlpack__(${NEWEST}, copy=True))["flags"]`);
    expect(await python.callAsync(python.evaluate('copied') as PyObject, a)).toBe(2);
  });

  test('rules 167, 168: the holder of the tensor deletes it, once', () => {
    const bytes = 1 << 24;
    const held = (): boolean => {
      native().drainReleases(true);
      return native().liveBlocks().bytes >= bytes;
    };
    python.run('capsules = []\ndef export(a): capsules.append(a.__dlpack__(max_version=(1, 3)))');
    const exporter = python.evaluate('export') as PyObject;
    const a = zeros([bytes], { dtype: 'uint8' });
    exporter(a);
    a.dispose();
    expect(held()).toBe(true);
    python.run('capsules.clear()');
    expect(held()).toBe(false);

    const b = zeros([bytes], { dtype: 'uint8' });
    exporter(b);
    b.dispose();
    python.run('let_go = take(capsules[0]); capsules.clear()');
    expect(held()).toBe(true);
    python.run('let_go()');
    expect(held()).toBe(false);
  });

  test('rule 171: the deleter can run on any thread', () => {
    python.run('import threading\ncapsules = []');
    const a = array([1, 2, 3]);
    (python.evaluate('lambda a: capsules.append(a.__dlpack__())') as PyObject)(a);
    python.run('let_go = take(capsules.pop()); t = threading.Thread(target=let_go); t.start(); t.join()');
    expect(a.toNested()).toEqual([1, 2, 3]);
  });

  test('rule 173: the table is on the type, in a capsule with its name', () => {
    expect(ask('name_of(type(a).__dlpack_c_exchange_api__)', arange(3))).toBe('dlpack_exchange_api');
  });
});

describeWith(['numpy'], 'the numpy consumer', () => {
  test('rule 165: consumes a capsule once', () => {
    python.run(
      `import numpy as np\nclass Again:\n def __init__(self, a): self.c = a.__dlpack__(); self.d = a.__dlpack_device__()\n def __dlpack__(self, **_): return self.c\n def __dlpack_device__(self): return self.d`
    );
    const twice = 'lambda a: [(lambda x: np.from_dlpack(x).tolist() and np.from_dlpack(x))(Again(a))]';
    expect(() => void (python.evaluate(twice) as PyObject)(arange(3))).toThrow(/incorrect name|consumed/);
  });

  test('rules 147, 159: passes device and copy of from_dlpack', () => {
    const a = arange(3);
    python.run('import numpy as np');
    const data = '.ctypes.data';
    expect(ask(`np.from_dlpack(a, device="cpu")${data}`, a)).toBe(Number(a.pointer));
    expect(ask(`np.from_dlpack(a, copy=True)${data}`, a)).not.toBe(Number(a.pointer));
    expect(ask('np.from_dlpack(a, copy=True).flags.writeable', a.asReadOnly())).toBe(true);
  });
});

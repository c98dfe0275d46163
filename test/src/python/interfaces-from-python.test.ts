/** Python objects that describe their memory with a dictionary. */

import type { PythonError } from '../../../src/index.ts';
import {
  ArgumentError,
  asCudaArray,
  BufferError,
  DescriptorError,
  fromCudaArrayInterface,
  fromDlpack,
  ones,
  python,
  ReadOnlyError,
  scope,
  type ArrayProtocol,
  type AsArrayOptions,
  type NDArray,
  type PyObject
} from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';

if (obstacle === null) {
  python.start({ python: pythonOfTests });
  python.run(sourceOf('producers.py'), 'producers.py');
}

function arrayOf(expression: string, options?: AsArrayOptions): NDArray {
  return python.asArray(python.evaluate(expression) as PyObject, options);
}

const evaluate = (expression: string): unknown => python.toJS(python.evaluate(expression));
const ALL = [
  [0, 1, 2],
  [3, 4, 5]
];

/** Host memory in place of device memory, for the simulated device. */
const INTERFACES: readonly (readonly [name: string, via: ArrayProtocol])[] = [
  ['__cuda_array_interface__', 'cuda-array-interface'],
  ['__array_interface__', 'array-interface']
];

describe.each(INTERFACES)('%s', (name, via) => {
  const described = (entries = ''): NDArray =>
    arrayOf(`Described("${name}", ${entries})`, { via, device: 'sim:0' });

  describeWith([], 'of an object', () => {
    test('gives its memory, visible on both sides', () => {
      python.run(`one = Described("${name}")`);
      using array = arrayOf('one', { via, device: 'sim:0' });
      expect([array.dtype.name, array.toNested(), array.readOnly]).toEqual(['float64', ALL, false]);
      array.fill(8);
      expect(evaluate('list(one.memory)')).toEqual([8, 8, 8, 8, 8, 8]);
    });

    test.each(['shape', 'typestr', 'version'])('without %s is refused by its name (rule 2)', key => {
      const error = thrown(() => described(`${key}=...`));
      expect(error).toBeInstanceOf(DescriptorError);
      expect(error.message).toContain(key);
    });

    test.each([
      ['strides=None', 'rule 17', ALL],
      ['strides=(24, 8)', 'rule 20', ALL],
      ['shape=[2, 3]', 'a list for a tuple', ALL],
      ['shape=(3,), strides=(0,)', 'rule 22', [0, 0, 0]],
      ['shape=()', 'rule 15', 0],
      ['shape=(0, 3), strides=(1, 1)', 'rule 27', []],
      ['shape=(2, 0), data=(0, False)', 'rule 55', [[], []]],
      ['shape=(3,), strides=(12,), typestr="<i4"', 'rule 26', [0, 1072693248, 0]],
      ['descr=[("", "<f8")]', 'rule 45', ALL],
      ['future=object()', 'rule 11', ALL]
    ] as [string, string, unknown][])('with %s is read accordingly (%s)', (entries, _, expected) => {
      expect(described(entries).toNested()).toEqual(expected);
    });

    test.each([
      ['strides=(8,)', 'DescriptorError', 'rule 18'],
      ['shape=(-1, 3)', 'ShapeError', 'rule 16'],
      ['shape=(2**40, 2**40)', 'ShapeError', 'rule 16'],
      ['shape=5', 'DescriptorError', 'no list'],
      ['typestr=8', 'DescriptorError', 'rule 32'],
      ['typestr="|O8"', 'DTypeError', 'rule 41'],
      ['typestr=">f8"', 'DTypeError', 'rule 42'],
      ['typestr="<f16"', 'DTypeError', 'rule 35'],
      ['data=(0, False)', 'DescriptorError', 'rule 57'],
      ['data=(1.5, False)', 'DescriptorError', 'rule 53'],
      ['data=(1, False, 2)', 'DescriptorError', 'rule 53'],
      ['version="3"', 'DescriptorError', 'rule 5'],
      ['version=-1', 'DescriptorError', 'rule 5']
    ])('with %s is a %s (%s)', (entries, kind) => {
      expect(thrown(() => described(entries)).name).toBe(kind);
    });

    test.each([
      ['strides=(800, 8), shape=(1, 6)', [800, 8]],
      ['strides=(1, 8), shape=(1, 6)', [1, 8]],
      ['strides=(-24, 8)', [-24, 8]],
      ['strides=(8, 16)', [8, 16]],
      ['strides=None', [24, 8]],
      ['strides=...', [24, 8]]
    ])('with %s gives these byte strides', (entries, strides) => {
      python.run(`placed = Described("${name}", ${entries})`);
      if (strides[0] === -24) python.run('placed.entries["data"] = (placed.entries["data"][0] + 24, False)');
      expect(arrayOf('placed', { via, device: 'sim:0' }).strides).toEqual(strides);
    });

    test.each([
      ['shape=(2, 2**70)', 'ShapeError'],
      ['shape=("2", 3)', 'ShapeError'],
      ['strides=(2**70, 8)', 'DescriptorError'],
      ['strides=(24.5, 8)', 'DescriptorError'],
      ['strides=(2**62, 8)', 'DescriptorError'],
      ['data=(2**64, False)', 'DescriptorError'],
      ['data=(-8, False)', 'DescriptorError'],
      ['data=("8", False)', 'DescriptorError'],
      ['data=(2**64 - 8, False)', 'DescriptorError'],
      ['descr=[("", "<f4")]', 'DTypeError'],
      ['descr=[("x", "<f8")]', 'DTypeError'],
      ['descr=[("", "<f8"), ("", "<f8")]', 'DTypeError'],
      ['typestr="f8"', 'DTypeError'],
      ['typestr="<\\ud8008"', 'DTypeError'],
      ['version=2**70', 'DescriptorError']
    ])('with %s is a %s', (entries, kind) => {
      expect(thrown(() => described(entries)).name).toBe(kind);
    });

    test.each([
      ['|b1', 'bool'],
      ['<b1', 'bool'],
      ['|i1', 'int8'],
      ['<u2', 'uint16'],
      ['<i8', 'int64'],
      ['<f2', 'float16'],
      ['<c8', 'complex64'],
      ['<c16', 'complex128'],
      ['<M8[D]', 'datetime64[D]'],
      ['|S4', 'bytes4'],
      ['<U2', 'str2'],
      ['|V8', 'void8']
    ])('with typestr %s has dtype %s', (typestr, dtype) => {
      expect(described(`typestr="${typestr}", shape=(2,)`).dtype.name).toBe(dtype);
    });

    test('can be a dict that computes its entries', () => {
      python.run(`
class Computed(dict):
    def __getitem__(self, key):
        return (6,) if key == "shape" else super().__getitem__(key)
computed = Described("${name}")
computed.entries = Computed(computed.entries)
`);
      expect(arrayOf('computed', { via, device: 'sim:0' }).shape).toEqual([6]);
    });

    test('is read once for each import', () => {
      python.run(`
reads = []
class Counting(Described):
    @property
    def ${name}(self):
        reads.append(1)
        return self.entries
counted = Counting("${name}")
`);
      arrayOf('counted', { via, device: 'sim:0' }).dispose();
      python.run('counted.entries["shape"] = [2, 3]');
      arrayOf('counted', { via, device: 'sim:0' }).dispose();
      expect(evaluate('len(reads)')).toBe(2);
    });

    test('that is read-only gives a read-only array (rule 59)', () => {
      python.run(`fixed = Described("${name}")\nfixed.entries["data"] = (fixed.entries["data"][0], True)`);
      using array = arrayOf('fixed', { via, device: 'sim:0' });
      expect(array.readOnly).toBe(true);
      expect(() => array.fill(1)).toThrow(ReadOnlyError);
    });

    test('can be any mapping (rule 6); anything else is refused', () => {
      python.run(`mapped = Described("${name}")\nmapped.entries = Mapping(mapped.entries)`);
      expect(arrayOf('mapped', { via, device: 'sim:0' }).toNested()).toEqual(ALL);
      python.run('mapped.entries = 7');
      expect(thrown(() => arrayOf('mapped', { via, device: 'sim:0' }))).toBeInstanceOf(DescriptorError);
      python.run('mapped.entries = None');
      expect(thrown(() => arrayOf('mapped', { via, device: 'sim:0' }))).toBeInstanceOf(ArgumentError);
    });

    test('that raises has its exception passed on (rule 158)', () => {
      python.run(`
class Raising:
    @property
    def ${name}(self):
        raise ValueError("deleted")
`);
      const error = thrown(() => arrayOf('Raising()', { via }));
      expect((error as PythonError).type).toBe('ValueError');
    });

    test('with a mask keeps its validity (rules 49, 50)', () => {
      python.run(`
masked = Described("${name}")
valid = bytearray([1, 0, 1, 1, 1, 0])
class Valid:
    ${name} = dict(shape=(2, 3), typestr="|b1", version=3,
        data=((ctypes.c_char * 6).from_buffer(valid) and ctypes.addressof((ctypes.c_char * 6).from_buffer(valid)), False))
masked.entries["mask"] = Valid()
`);
      if (via === 'cuda-array-interface')
        python.run(
          'Valid.__array_interface__ = Valid.__cuda_array_interface__; del Valid.__cuda_array_interface__'
        );
      expect(arrayOf('masked', { via, device: 'sim:0' }).toNested()).toEqual([
        [0, null, 2],
        [3, 4, null]
      ]);
      python.run('masked.entries["mask"] = object()');
      expect(thrown(() => arrayOf('masked', { via, device: 'sim:0' }))).toBeInstanceOf(DescriptorError);
    });

    test('keeps the object alive until the array is disposed (rule 91)', () => {
      python.run(`import weakref\nowner = Described("${name}")\nwatched = weakref.ref(owner)`);
      const object = python.evaluate('owner') as PyObject;
      const array = python.asArray(object, { via, device: 'sim:0' });
      python.run('del owner');
      object[Symbol.dispose]();
      expect(array.toNested()).toEqual(ALL);
      array.dispose();
      native().drainReleases(true);
      expect(evaluate('watched() is None')).toBe(true);
    });
  });
});

describeWith([], 'a CUDA descriptor', () => {
  test.each([0, 1, 2, 3])('of version %i is imported (rule 5)', version => {
    using array = arrayOf(`Described("__cuda_array_interface__", version=${version})`, { device: 'sim:0' });
    expect(array.toNested()).toEqual(ALL);
  });

  test('with stream 0 is refused (rule 67), and with a negative one (rule 71)', () => {
    for (const stream of [0, -1])
      expect(
        thrown(() => arrayOf(`Described("__cuda_array_interface__", stream=${stream})`, { device: 'sim:0' }))
      ).toBeInstanceOf(DescriptorError);
  });

  test('of memory unknown to every driver requires a device (rule 61)', () => {
    expect(thrown(() => arrayOf('Described("__cuda_array_interface__")'))).toBeInstanceOf(DescriptorError);
  });

  test('of Numba is corrected: broadcast strides and the default stream are taken from its array (defects 1, 2)', () => {
    python.run(`
class DeviceNDArray(Described):
    __module__ = "numba_cuda.numba.cuda.cudadrv.devicearray"
    strides = (0, 8)
broadcast = DeviceNDArray("__cuda_array_interface__", strides=None, stream=0)
`);
    python.run('DeviceNDArray.__module__ = "numba.cuda.cudadrv.devicearray"');
    using array = arrayOf('broadcast', { device: 'sim:0' });
    expect(array.toNested()).toEqual([
      [0, 1, 2],
      [0, 1, 2]
    ]);
  });
});

describeWith([], '__array_interface__', () => {
  const described = (entries: string): NDArray => arrayOf(`Described("__array_interface__", ${entries})`);

  test('can have its data in a buffer, from an offset', () => {
    using array = described('data=array.array("d", [9, 8, 7, 6]), shape=(2,), offset=8');
    expect(array.toNested()).toEqual([8, 7]);
    using reversed = described('data=array.array("d", [9, 8, 7, 6]), shape=(4,), strides=(-8,), offset=24');
    expect(reversed.toNested()).toEqual([6, 7, 8, 9]);
  });

  test.each(['data=None', 'data=...'])('with %s means the object itself', data => {
    python.run(`
class Bytes(bytearray):
    __array_interface__ = dict(shape=(2,), typestr="|u1", version=3)
own = Bytes(b"ab")
${data === 'data=None' ? 'Bytes.__array_interface__["data"] = None' : ''}
`);
    expect(arrayOf('own', { via: 'array-interface' }).toNested()).toEqual([97, 98]);
  });

  test.each(['shape=(5,)', 'shape=(2,), offset=24', 'shape=(2,), strides=(-8,)', 'shape=(1,), offset=-8'])(
    'cannot leave its buffer: %s',
    entries => {
      const error = thrown(() => described(`data=array.array("d", [9, 8, 7, 6]), ${entries}`));
      expect([BufferError, DescriptorError].some(kind => error instanceof kind)).toBe(true);
    }
  );
});

describeWith([], 'a Python object passed to other functions', () => {
  const object = (expression: string): PyObject => python.evaluate(expression) as PyObject;

  test('is an array for asCudaArray, which keeps it alive, with all of its options', () => {
    const one = object('Described("__cuda_array_interface__")');
    const array = asCudaArray(one, { device: 'sim:0', validate: 'structure', sync: false });
    one[Symbol.dispose]();
    expect(array.toNested()).toEqual(ALL);
    expect(() =>
      asCudaArray(object('Described("__cuda_array_interface__", version=9)'), {
        device: 'sim:0',
        newerVersion: 'refuse'
      })
    ).toThrow(/rule 9/);
    expect(() => asCudaArray(object('array.array("d", [1])'))).toThrow(/lacks __cuda_array_interface__/);
  });

  test('is an array for fromDlpack, and so is a capsule of Python', () => {
    python.run('alive.clear(); deleted.clear()');
    const array = fromDlpack(object('Producer()'));
    expect(array.toNested()).toEqual([
      [1, 2, 3],
      [4, 5, 6]
    ]);
    array.dispose();
    fromDlpack(object('make_capsule()'), { copy: true }).dispose();
    native().drainReleases(true);
    expect(evaluate('[len(alive), len(deleted)]')).toEqual([0, 2]);
  });

  test('can be the mask of a descriptor', () => {
    python.run('bits = bytearray([1, 0, 1])\ncells = (ctypes.c_char * 3).from_buffer(bits)');
    python.run(
      'mask = Described("__cuda_array_interface__", shape=(3,), typestr="|b1", data=(ctypes.addressof(cells), False))'
    );
    using source = arrayOf('Described("__array_interface__", shape=(3,))');
    const described = {
      shape: [3],
      typestr: '<f8',
      data: [source.pointer, false],
      version: 3,
      mask: object('mask')
    };
    expect(fromCudaArrayInterface(described, { device: 'sim:0' }).toNested()).toEqual([0, null, 2]);
  });

  test('is not a descriptor: the error names the way to convert a dictionary', () => {
    const dictionary = object('Described("__cuda_array_interface__").entries');
    expect(() => fromCudaArrayInterface(dictionary)).toThrow(/python\.toJS\(\)/);
  });
});

describeWith([], 'errors of __array_interface__', () => {
  test.each(['version="3"', 'data=(1.5, False)', 'strides=(8,)', 'shape=5', 'shape=...'])(
    'name it, and not the interface of CUDA: %s',
    entries => {
      const error = thrown(() => arrayOf(`Described("__array_interface__", ${entries})`));
      expect(error).toBeInstanceOf(DescriptorError);
      expect(error.message).toMatch(/^__array_interface__, '\w+': /);
    }
  );

  test('of one of our arrays name it too', () => {
    const read = python.evaluate('lambda a: a.__array_interface__') as PyObject;
    expect(thrown(() => read(ones(2, { dtype: 'bfloat16', device: 'sim:0' }))).message).toContain(
      'bfloat16: __array_interface__ has no typestr'
    );
  });
});

describeWith([], 'an array imported from Python', () => {
  test('outlives its released object, and ends with its scope', () => {
    python.run(
      'import weakref\nclass Watched(array.array): pass\nkept = Watched("d", [1, 2])\nwatched = weakref.ref(kept)'
    );
    const total = scope(() => {
      const object = python.evaluate('kept') as PyObject;
      const array = python.asArray(object);
      object[Symbol.dispose]();
      python.run('del kept');
      return array.sum().item();
    });
    native().drainReleases(true);
    expect([total, evaluate('watched() is None')]).toEqual([3, true]);
  });

  test('is freed by the collector if nobody disposes it', async () => {
    python.run('class Watched(array.array): pass\ngone = []');
    python.run('import weakref');
    const use = (index: number): void => {
      python.run('kept = Watched("d", [1, 2]); weakref.finalize(kept, gone.append, 1)');
      const array = arrayOf('kept');
      if (index % 2 === 0) array.fill(0);
      python.run('del kept');
    };
    for (let index = 0; index < 10; index++) use(index);
    for (let turn = 0; turn < 5; turn++) {
      native().drainReleases(true);
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(evaluate('len(gone)')).toBeGreaterThanOrEqual(9);
  });

  test('of a released object is refused', () => {
    const object = python.evaluate('array.array("d", [1])') as PyObject;
    object[Symbol.dispose]();
    expect(() => python.asArray(object)).toThrow(/was freed/);
  });

  test('is imported while another thread of Python is busy, each within a moment', () => {
    python.run(`
import threading
busy = True
def spin():
    while busy:
        pass
spinner = threading.Thread(target=spin, daemon=True)
spinner.start()
memory = array.array("d", [1, 2])
`);
    try {
      const object = python.evaluate('memory') as PyObject;
      const taken: number[] = [];
      for (let index = 0; index < 1000; index++) {
        const begun = performance.now();
        python.asArray(object).dispose();
        taken.push(performance.now() - begun);
      }
      // The switch interval is 0.1 ms; a loaded machine adds more.
      expect(taken.sort((a, b) => a - b)[500]).toBeLessThan(20);
    } finally {
      python.run('busy = False');
    }
  });
});

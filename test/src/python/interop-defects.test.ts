/* eslint-disable @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-argument -- what Python gives has no static type */
/** Defects of other libraries that docs/interop.md lists do no harm here. Uses the real library if it is installed, on host memory. */

import { arange, array, python, type NDArray, type PyObject } from '../../../src/index.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

/** Runs statements and returns the value of an expression. */
function after(statements: string, expression: string): PyObject {
  python.run(statements);
  return python.evaluate(expression) as PyObject;
}

/** The real device array class of Numba or numba-cuda-mlir over memory that is not on a device: its descriptor does not need one. */
const numbaArrays = (cuda: string, defaultStream: string): string => `
import ctypes, numpy
from ${cuda}.cudadrv import devicearray, driver

class HostMemory:
    __cuda_memory__ = True
    def __init__(self, address, size):
        self._cuda_memsize_ = size
        self.device_ctypes_pointer = ctypes.c_void_p(address)
        self.device_pointer = address

def numba_array(address, size, shape, strides, stream=0):
    return devicearray.DeviceNDArray(shape, strides, numpy.dtype("float32"), stream=stream, gpu_data=HostMemory(address, size))

default_stream = ${defaultStream}
`;

for (const [library, cuda, defaultStream] of [
  ['numba', 'numba.cuda', 'driver.Stream(None, ctypes.c_void_p(0), None)'],
  ['numba_cuda_mlir', 'numba_cuda_mlir.numba_cuda', 'driver.Stream(driver.binding.CUstream(0))']
] as const) {
  describeWith([library], library, () => {
    const numbers = (): NDArray => arange(12, { dtype: 'float32' });
    let make: PyObject;
    beforeAll(() => {
      make = after(numbaArrays(cuda, defaultStream), 'numba_array');
    });

    /** The result of importing Numba's array over `memory`. */
    const over = (memory: NDArray, shape: number[], strides: number[], ...more: unknown[]): PyObject =>
      make(memory.pointer, memory.nbytes, python.tuple(shape), python.tuple(strides), ...more);

    test.each([
      [
        [3, 4],
        [0, 4]
      ],
      [
        [3, 4],
        [4, 0]
      ],
      [
        [2, 3],
        [0, 0]
      ],
      [[3], [0]]
    ])(
      'defect 1, rule 19: a broadcast array of shape %j and strides %j stays within its own memory',
      (shape, strides) => {
        const memory = numbers().slice(':4');
        const theirs = over(memory, shape, strides);
        // The defect itself: if it is fixed, there is nothing to guard against.
        expect(python.toJS(theirs.__cuda_array_interface__)).toMatchObject({ strides: null });
        const ours = python.asArray(theirs, { via: 'cuda-array-interface', device: 'sim:0' });
        expect(ours.strides).toEqual(strides);
        expect(ours.pointer).toBe(memory.pointer);
      }
    );

    test('defect 1: a contiguous array is read as described', () => {
      const memory = numbers();
      const ours = python.asArray(over(memory, [3, 4], [16, 4]), {
        via: 'cuda-array-interface',
        device: 'sim:0'
      });
      expect(ours.toNested()).toEqual(memory.reshape(3, 4).toNested());
    });

    test("defect 2, rule 68: stream 0 of the library's default stream is the legacy default stream", () => {
      const memory = numbers();
      const theirs = over(memory, [12], [4], python.evaluate('default_stream'));
      expect(python.toJS(theirs.__cuda_array_interface__)).toMatchObject({ stream: 0 });
      const ours = python.asArray(theirs, { via: 'cuda-array-interface', device: 'sim:0' });
      expect(ours.toNested()).toEqual(memory.toNested());
    });

    test('defect 2, rule 67: stream 0 of any other producer is refused', () => {
      const memory = numbers();
      const theirs = after(
        'class Zero:\n    def __init__(self, interface): self.__cuda_array_interface__ = {**interface, "stream": 0}',
        'Zero'
      )(over(memory, [12], [4]).__cuda_array_interface__);
      expect(() => python.asArray(theirs, { via: 'cuda-array-interface', device: 'sim:0' })).toThrow(
        /stream/
      );
    });
  });
}

describeWith(['numpy'], 'strides that are no multiple of the item size', () => {
  /** Like CuPy's and Warp's arrays: strides are rounded down in DLPack, correct in the other interface. */
  const FLOORED = `
import numpy

class Floored:
    def __init__(self, array):
        self.array, self.strides, self.dtype, self.shape = array, array.strides, array.dtype, array.shape
        self.itemsize = array.dtype.itemsize
    def __dlpack__(self, **options):
        size = self.itemsize
        rounded = numpy.lib.stride_tricks.as_strided(self.array, strides=[s // size * size for s in self.strides])
        return rounded.__dlpack__(**options)
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    @property
    def __array_interface__(self):
        return self.array.__array_interface__

packed = numpy.zeros(4, dtype=[("a", "<i2"), ("b", "<f4")])
packed["b"] = [1, 2, 3, 4]
`;

  test.each(['cupy', 'warp'])('defect 9: an array of %s is read through its other interface', module => {
    const theirs = after(`${FLOORED}\nFloored.__module__ = "${module}"`, 'Floored(packed["b"])');
    expect(python.toJS(python.import('numpy').from_dlpack(theirs).tolist())).not.toEqual([1, 2, 3, 4]);
    expect(python.asArray(theirs).toNested()).toEqual([1, 2, 3, 4]);
  });

  test('defect 9: whole strides are read through DLPack', () => {
    const theirs = after(
      `${FLOORED}\nFloored.__module__ = "cupy"`,
      'Floored(numpy.arange(6, dtype="f4")[::2])'
    );
    expect(python.asArray(theirs, { via: 'dlpack' }).toNested()).toEqual([0, 2, 4]);
    expect(python.asArray(theirs).toNested()).toEqual([0, 2, 4]);
  });
});

/** Reads the struct of a 1.x capsule, like a consumer that ignores byte_offset. */
const READ = `
import ctypes
get = ctypes.pythonapi.PyCapsule_GetPointer
get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]

class Versioned(ctypes.Structure):
    _fields_ = [("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64), ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32),
        ("dtype", ctypes.c_uint32), ("shape", ctypes.c_void_p), ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64)]

def tensor_of(array):
    capsule = array.__dlpack__(max_version=(1, 3))
    tensor = Versioned.from_address(get(capsule, b"dltensor_versioned"))
    return tensor.data, tensor.byte_offset
`;

describeWith(['numpy'], 'negative strides that were divided as unsigned numbers', () => {
  /** Like CuPy's arrays. */
  const UNSIGNED = `${READ}
import numpy

class Unsigned:
    def __init__(self, array):
        self.array, self.strides, self.shape = array, array.strides, array.shape
    def __dlpack__(self, **options):
        capsule = self.array.__dlpack__(**options)
        tensor = Versioned.from_address(get(capsule, b"dltensor_versioned"))
        strides = (ctypes.c_int64 * self.array.ndim).from_address(tensor.strides)
        for axis, stride in enumerate(self.array.strides):
            strides[axis] = (stride % 2**64) // self.array.itemsize
        return capsule
    def __dlpack_device__(self):
        return self.array.__dlpack_device__()
    @property
    def __array_interface__(self):
        return self.array.__array_interface__

Unsigned.__module__ = "cupy"
`;

  test('defect 13: the array is read through its other interface', () => {
    const theirs = after(UNSIGNED, 'Unsigned(numpy.arange(6, dtype="f8").reshape(2, 3)[::-1, ::-2])');
    const ours = python.asArray(theirs);
    expect(ours.strides).toEqual([-24, -16]);
    expect(ours.toNested()).toEqual([
      [5, 3],
      [2, 0]
    ]);
    expect(() => python.asArray(theirs, { via: 'dlpack' })).toThrow(/stride/);
  });
});

describeWith(['numpy'], 'byte_offset', () => {
  test('defect 10, rule 114: the pointer is that of the first element, and the offset 0', () => {
    const tensorOf = after(READ, 'tensor_of');
    const view = arange(6, { dtype: 'float32' }).slice('2:');
    expect(python.toJS(tensorOf(view)).map(BigInt)).toEqual([view.pointer, 0n]);
    const backwards = arange(6, { dtype: 'float32' }).slice('::-1');
    expect(python.toJS(tensorOf(backwards)).map(BigInt)).toEqual([backwards.pointer, 0n]);
  });
});

describeWith(['warp'], 'Warp', () => {
  beforeAll(() => {
    python.run('import warp\nwarp.config.quiet = True\nwarp.init()');
  });

  test('defect 9: its own array with packed fields is read correctly', () => {
    const theirs = after(
      `import numpy
packed = numpy.zeros(4, dtype=[("a", "<i2"), ("b", "<f4")])
packed["b"] = [1, 2, 3, 4]
address = packed["b"].__array_interface__["data"][0]
fields = warp.array(ptr=address, strides=(6,), shape=(4,), dtype=warp.float32, device="cpu")`,
      'fields'
    );
    expect(python.asArray(theirs).toNested()).toEqual([1, 2, 3, 4]);
  });

  test('defect 10: it reads one of our views from its first element on', () => {
    const view = array([9, 9, 1, 2], { dtype: 'float32' }).slice('2:');
    expect(python.toJS(python.import('warp').from_dlpack(view).numpy().tolist())).toEqual([1, 2]);
  });
});

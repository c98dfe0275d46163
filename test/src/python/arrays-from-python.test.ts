/* eslint-disable @typescript-eslint/no-unsafe-argument -- what Python gives has no static type */
/** Python's arrays as arrays of this library, over the same memory: each library with each protocol that it supports. */

import {
  arange,
  ArgumentError,
  BufferError,
  fromDlpack,
  python,
  PythonError,
  ReadOnlyError,
  Stream,
  type ArrayProtocol,
  type AsArrayOptions,
  zeros,
  type NDArray,
  type PyObject
} from '../../../src/index.ts';
import { originOf } from '../../../src/pictures/array/origin.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

/** Runs statements and returns the array of an expression in `__main__`. */
function arrayOf(expression: string, options?: AsArrayOptions, statements = ''): NDArray {
  python.run(statements);
  return python.asArray(python.evaluate(expression), options);
}

const values = (array: NDArray): unknown => array.toNested();

describeWith(['numpy'], 'NumPy', () => {
  beforeAll(() => python.run('import numpy as np'));
  const HOST_PROTOCOLS: readonly ArrayProtocol[] = ['dlpack', 'array-interface', 'buffer'];

  test.each(HOST_PROTOCOLS)('by %s: the same memory, visible on both sides', via => {
    using array = arrayOf('shared', { via }, 'shared = np.arange(6, dtype="f4").reshape(2, 3)');
    expect([array.dtype.name, array.shape, array.readOnly]).toEqual(['float32', [2, 3], false]);
    array.fill(7);
    expect(python.evaluate('shared.tolist() == [[7.0] * 3] * 2')).toBe(true);
    python.run('shared[1, 2] = -1');
    expect(values(array)).toEqual([
      [7, 7, 7],
      [7, 7, -1]
    ]);
  });

  test.each(HOST_PROTOCOLS)(
    'by %s: negative, broadcast and transposed strides, 0-d and empty arrays (rules 20 to 28)',
    via => {
      expect(values(arrayOf('np.arange(6.).reshape(2, 3)[::-1, ::-2]', { via }))).toEqual([
        [5, 3],
        [2, 0]
      ]);
      expect(values(arrayOf('np.arange(6).reshape(2, 3).T.astype("i4")', { via }))).toEqual([
        [0, 3],
        [1, 4],
        [2, 5]
      ]);
      const broadcast = arrayOf('np.broadcast_to(np.arange(3, dtype="f4"), (2, 3))', { via });
      expect([values(broadcast), broadcast.readOnly]).toEqual([
        [
          [0, 1, 2],
          [0, 1, 2]
        ],
        true
      ]);
      expect([values(arrayOf('np.array(3.5)', { via })), arrayOf('np.array(3.5)', { via }).shape]).toEqual([
        3.5,
        []
      ]);
      const empty = arrayOf('np.zeros((0, 3), dtype="c8")', { via });
      expect([empty.shape, empty.dtype.name]).toEqual([[0, 3], 'complex64']);
    }
  );
});

describeWith([], 'one of our arrays that Python had', () => {
  test.each([undefined, 'exchange-table', 'dlpack', 'array-interface', 'buffer'] as const)(
    'by %s is over its own memory again',
    via => {
      using array = arange(6, { dtype: 'float32' }).reshape(2, 3).T;
      using back = python.asArray(python.array(array), { via });
      expect([back.pointer, back.strides, values(back)]).toEqual([
        array.pointer,
        array.strides,
        values(array)
      ]);
      back.fill(5);
      expect(values(array)).toEqual(values(back));
    }
  );

  test('is on the same storage, as any view, and stays alive when the other is disposed', () => {
    const array = arange(3);
    using back = python.asArray(python.array(array));
    expect(back.storage).toBe(array.storage);
    array.dispose();
    expect(values(back)).toHaveLength(3);
  });

  test('of a dtype that no protocol has is imported all the same', () => {
    using array = zeros([2], { dtype: 'bfloat16' });
    using back = python.asArray(python.array(array));
    expect([back.dtype, back.storage === array.storage]).toEqual([array.dtype, true]);
  });
});

describeWith(['torch'], 'one of our arrays that went through PyTorch', () => {
  test('is the same memory, whoever releases it first', () => {
    const array = arange(4, { dtype: 'float32' });
    python.run('import torch');
    const tensor = (python.evaluate('torch.from_dlpack') as (array: NDArray) => PyObject)(array);
    using back = python.asArray(tensor);
    expect(back.pointer).toBe(array.pointer);
    array.dispose();
    tensor[Symbol.dispose]();
    back.fill(2);
    expect(values(back)).toEqual([2, 2, 2, 2]);
  });
});

/** Every dtype that NumPy and this library both have, with two values of it. */
const NUMPY_DTYPES = [
  ['?', 'bool', [true, false]],
  ['i1', 'int8', [-1, 2]],
  ['u2', 'uint16', [65535, 2]],
  ['i8', 'int64', [-1n, 2n]],
  ['u8', 'uint64', [18446744073709551615n, 2n]],
  ['f2', 'float16', [-0.5, 2]],
  ['f8', 'float64', [-0.5, 2]]
] as const;

describeWith(['numpy'], 'dtypes of NumPy', () => {
  beforeAll(() => python.run('import numpy as np'));

  test.each(NUMPY_DTYPES)('%s is %s', (typestr, dtype, expected) => {
    const list = typestr === '?' ? '[True, False]' : `[${String(expected[0])}, ${String(expected[1])}]`;
    for (const via of ['dlpack', 'array-interface', 'buffer'] as const) {
      const array = arrayOf(`np.array(${list}, dtype="${typestr}")`, { via });
      expect([array.dtype.name, values(array)]).toEqual([dtype, expected]);
    }
  });

  test('without a DLPack code are imported by another protocol, and by name only by that one (rules 37, 131, 158)', () => {
    const dates = 'np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]")';
    const error = thrown(() => arrayOf(dates));
    expect([error.name, (error as PythonError).type]).toEqual(['PythonError', 'BufferError']);
    using array = arrayOf(dates, { via: 'array-interface' });
    expect([array.dtype.name, values(array)]).toEqual(['datetime64[D]', [18262n, 18263n]]);
    const records = 'np.array([(1, (2, 3))], dtype=[("a", "i4"), ("b", "f8", (2,))])';
    expect(values(arrayOf(records, { via: 'array-interface' }))).toEqual([{ a: 1, b: [2, 3] }]);
    expect(values(arrayOf('np.array([b"ab", b"c"])', { via: 'array-interface' }))).toHaveLength(2);
  });

  test('of another byte order, and objects, are refused (rules 41, 42, 130)', () => {
    for (const expression of ['np.zeros(2, dtype=">f4")', 'np.array([None, 1], dtype=object)']) {
      expect(thrown(() => arrayOf(expression))).toBeInstanceOf(PythonError);
      expect(thrown(() => arrayOf(expression, { via: 'array-interface' })).name).toBe('DTypeError');
    }
  });

  test('options: copies, devices and streams work as for fromDlpack (rules 147 to 150)', () => {
    python.run('source = np.arange(4.0)');
    using copy = arrayOf('source', { copy: true });
    using elsewhere = arrayOf('source', { device: 'sim:0', copy: false });
    copy.fill(9);
    expect(python.evaluate('source.tolist() == [0, 1, 2, 3]')).toBe(true);
    using stream = new Stream({ device: 'sim:0' });
    using onStream = arrayOf('source', { stream });
    expect([values(elsewhere), onStream.stream === stream]).toEqual([[0, 1, 2, 3], true]);
    expect(() => arrayOf('source', { stream: 1 as unknown as Stream })).toThrow(ArgumentError);
  });
});

describeWith(['torch'], 'PyTorch', () => {
  beforeAll(() => python.run('import torch'));
  const ways: readonly (ArrayProtocol | undefined)[] = [undefined, 'exchange-table', 'dlpack'];

  test.each(ways)('by %s: the same memory, visible on both sides', via => {
    python.run('tensor = torch.arange(6, dtype=torch.float32).reshape(2, 3).T');
    using array = arrayOf('tensor', { via });
    expect(values(array)).toEqual([
      [0, 3],
      [1, 4],
      [2, 5]
    ]);
    array.fill(7);
    expect(python.evaluate('bool((tensor == 7).all())')).toBe(true);
  });

  test.each([
    ['bfloat16', 'torch.ones(2, dtype=torch.bfloat16)', [1, 1]],
    ['complex64', 'torch.ones(2, dtype=torch.complex64)', null],
    ['bool', 'torch.tensor([True, False])', [true, false]],
    ['float8_e4m3fn', 'torch.ones(2).to(torch.float8_e4m3fn)', [1, 1]],
    ['int64', 'torch.tensor(5)', 5n],
    ['float32', 'torch.zeros(0, 4)', []],
    ['float32', 'torch.nn.Parameter(torch.ones(2), requires_grad=False)', [1, 1]]
  ])('%s of %s', (dtype, expression, expected) => {
    const array = arrayOf(expression);
    expect(array.dtype.name).toBe(dtype);
    if (expected !== null) expect(values(array)).toEqual(expected);
  });

  test.each([
    ['gradients', 'torch.ones(2, requires_grad=True)', /detach\(\)/],
    ['a conjugate bit', 'torch.ones(2, dtype=torch.complex64).conj()', /resolve_conj\(\)/],
    ['a negative bit', 'torch.ones(2, dtype=torch.complex64).conj().imag', /resolve_neg\(\)/],
    ['gradients in a class of its own', 'torch.nn.Parameter(torch.ones(2))', /detach\(\)/]
  ])('%s are refused with a fix (rule 158)', (_, expression, help) => {
    const error = thrown(() => arrayOf(expression));
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toMatch(help);
  });

  test.each([
    ['a conjugate bit', 'torch.ones(2, dtype=torch.complex64).conj()', /resolve_conj\(\)/],
    ['a negative bit', 'torch.ones(2, dtype=torch.complex64).conj().imag', /resolve_neg\(\)/]
  ])('%s is refused by the CUDA descriptor too, which does not report it', (_, expression, help) => {
    python.run(`
class OnGpu(torch.Tensor):
    @property
    def __cuda_array_interface__(self):
        return dict(shape=(2,), typestr="<f4", data=(self.data_ptr(), False), version=2)
`);
    const take = (tensor: string): NDArray =>
      arrayOf(`${tensor}.as_subclass(OnGpu)`, { via: 'cuda-array-interface', device: 'sim:0' });
    expect(values(take('torch.ones(2)'))).toEqual([1, 1]);
    const error = thrown(() => take(expression));
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toMatch(help);
  });

  test('a class or an object with its own __dlpack__ is asked in full, others without an order', () => {
    python.run(`
asked = []
class Own(torch.Tensor):
    def __dlpack__(self, **request):
        asked.append(sorted(request))
        return super().__dlpack__(**request)
class Inherited(torch.Tensor):
    pass
patched = torch.ones(2)
patched.__dlpack__ = lambda **request: asked.append(sorted(request)) or torch.zeros(2).__dlpack__(**request)
`);
    for (const expression of ['torch.ones(2).as_subclass(Own)', 'torch.ones(2).as_subclass(Inherited)'])
      expect(values(arrayOf(expression, { via: 'dlpack' }))).toEqual([1, 1]);
    expect(values(arrayOf('patched', { via: 'dlpack' }))).toEqual([0, 0]);
    const request = ['max_version', 'stream'];
    expect(python.toJS(python.evaluate('asked'))).toEqual([request, request]);
    expect(values(fromDlpack(python.evaluate('torch.ones(2).as_subclass(Own)') as PyObject))).toEqual([1, 1]);
    expect(python.evaluate('len(asked)')).toBe(2);
  });

  test('by __dlpack__, copies are made on request only', () => {
    python.run('source = torch.zeros(2)');
    const of = (copy: boolean | null): NDArray => arrayOf('source', { via: 'dlpack', copy });
    const [copied, shared, plain] = [of(true), of(false), of(null)];
    python.run('source.fill_(3)');
    expect([copied, shared, plain].map(values)).toEqual([
      [0, 0],
      [3, 3],
      [3, 3]
    ]);
  });

  test('an error of its __dlpack__ is passed on', () => {
    const error = thrown(() => arrayOf('torch.ones(3).to_sparse()', { via: 'dlpack' }));
    expect((error as PythonError).type).toBe('BufferError');
  });

  test('a refused tensor is freed when Python drops it, though the error is kept', () => {
    python.run(`
import weakref
def refused():
    tensor = torch.ones(2, requires_grad=True)
    global gone
    gone = weakref.ref(tensor)
    return tensor
`);
    for (const via of ['exchange-table', 'dlpack'] as const) {
      const tensor = python.evaluate('refused()') as PyObject;
      const error = thrown(() => python.asArray(tensor, { via }));
      tensor[Symbol.dispose]();
      expect([error.message, python.evaluate('gone() is None')]).toEqual([error.message, true]);
    }
  });

  test("sparse tensors raise PyTorch's error (rule 158)", () => {
    expect(thrown(() => arrayOf('torch.ones(3).to_sparse()'))).toBeInstanceOf(PythonError);
  });

  test('an expanded tensor is one row, repeated (rule 22)', () => {
    expect(values(arrayOf('torch.arange(2).expand(2, 2)'))).toEqual([
      [0n, 1n],
      [0n, 1n]
    ]);
  });
});

describeWith(['jax'], 'JAX', () => {
  test('arrays are read-only, although JAX does not say so (rule 137)', () => {
    python.run('import jax.numpy as jnp');
    using array = arrayOf('jnp.arange(4)');
    expect([array.readOnly, values(array)]).toEqual([true, [0, 1, 2, 3]]);
    expect(() => array.fill(0)).toThrow(ReadOnlyError);
    expect(arrayOf('jnp.ones(2, dtype=jnp.bfloat16)').dtype.name).toBe('bfloat16');
  });
});

describeWith(['pyarrow'], 'PyArrow', () => {
  test('arrays of numbers and buffers are read-only views', () => {
    python.run('import pyarrow as pa');
    const array = arrayOf('pa.array([1.5, 2.5])');
    expect([array.readOnly, values(array)]).toEqual([true, [1.5, 2.5]]);
    expect(values(arrayOf('pa.py_buffer(b"abc")', { via: 'buffer' }))).toHaveLength(3);
  });

  test("arrays with nulls raise PyArrow's error (rule 158)", () => {
    expect(thrown(() => arrayOf('pa.array([1, None])')).name).toBe('PythonError');
  });
});

describeWith(['numpy', 'tvm_ffi'], 'tvm-ffi', () => {
  test('tensors share the memory that they were made of', () => {
    python.run('import tvm_ffi, numpy as np\nunder = np.arange(3.0)\nover = tvm_ffi.from_dlpack(under)');
    using array = arrayOf('over');
    array.fill(4);
    expect(python.evaluate('under.tolist() == [4, 4, 4]')).toBe(true);
  });
});

describeWith(['numpy', 'ml_dtypes'], 'ml_dtypes', () => {
  test('has no protocol with its types: bfloat16 is refused as its apparent type (rule 44)', () => {
    python.run('import ml_dtypes, numpy as np');
    expect(thrown(() => arrayOf('np.ones(2, dtype=ml_dtypes.bfloat16)'))).toBeInstanceOf(PythonError);
  });
});

describeWith(['numpy'], 'a library that rounds strides down to multiples of the element size', () => {
  beforeAll(() =>
    python.run(`
import numpy as np
class ndarray:
    def __init__(self):
        self.memory = np.zeros(3, dtype=[("a", "<i4"), ("b", "<f8")])
        self.memory["b"] = [1.5, 2.5, 3.5]
        self.strides = (12,)
        self.__array_interface__ = self.memory["b"].__array_interface__
    def __dlpack_device__(self):
        return 1, 0
    def __dlpack__(self, **arguments):
        return self.memory.view("u1")[4:].view("u1")[:24].view("<f8").__dlpack__(**arguments)
ndarray.__module__ = "cupy"
`)
  );

  test('is read through the protocol that counts bytes (rule 120, defect 9)', () => {
    expect(values(arrayOf('ndarray()'))).toEqual([1.5, 2.5, 3.5]);
    expect(thrown(() => arrayOf('ndarray()', { via: 'dlpack' })).message).toContain('rule 120');
  });
});

describeWith(['numpy'], 'the origin of an array', () => {
  const originOfAll = (expression: string, options?: AsArrayOptions, statements = ''): string | null => {
    using array = arrayOf(expression, options, statements);
    return originOf(array.storage);
  };

  test.each<[string, ArrayProtocol | undefined]>([
    ['the table or methods', undefined],
    ['the array interface', 'array-interface'],
    ['the buffer', 'buffer']
  ])('by %s is the package of the class', (_, via) => {
    expect(originOfAll('np.arange(3.)', { via }, 'import numpy as np')).toBe('numpy (Python)');
  });

  test("of a class of the program is the class that it derives from; of Python's own classes it is Python", () => {
    const own = 'class Own(np.ndarray): pass\n';
    expect(originOfAll('np.arange(3.).view(Own)', {}, `import numpy as np\n${own}`)).toBe('numpy (Python)');
    expect(originOfAll('bytearray(8)')).toBe('Python');
  });

  test('of a released object is Python all the same', () => {
    python.run('import numpy as np');
    const object = python.evaluate('np.arange(3.)') as PyObject;
    using array = python.asArray(object);
    object[Symbol.dispose]();
    expect(originOf(array.storage)).toBe('Python');
  });
});

describeWith(['torch'], 'the origin of an array', () => {
  test('a tensor of PyTorch', () => {
    using array = arrayOf('torch.ones(3)', {}, 'import torch');
    expect(originOf(array.storage)).toBe('torch (Python)');
  });
});

describeWith([], 'an object', () => {
  test('without any protocol is refused with the protocols that were tried', () => {
    const error = thrown(() => arrayOf('object()'));
    expect(error).toBeInstanceOf(ArgumentError);
    expect(error.message).toContain('__dlpack__');
    expect(error.message).toContain('a buffer');
  });

  test('is imported only through the named protocol, and an unknown one is refused', () => {
    expect(thrown(() => arrayOf('b"abc"', { via: 'dlpack' })).message).toContain('it lacks __dlpack__');
    expect(thrown(() => arrayOf('b"abc"', { via: 'arrow' as ArrayProtocol }))).toBeInstanceOf(ArgumentError);
  });
});

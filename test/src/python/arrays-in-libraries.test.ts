/** Our arrays imported by other libraries without a copy: PyTorch, JAX, PyArrow, tvm-ffi, Numba, ml_dtypes. */

import { arange, array, ones, python, zeros, type NDArray, type PyObject } from '../../../src/index.ts';
import { ask, refusal } from './asking.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

function run(body: string, value: unknown): unknown {
  python.run(`def step(a):\n${body.replace(/^/gm, ' ')}`);
  return python.toJS((python.evaluate('step') as PyObject)(value));
}

const address = (a: NDArray): number => Number(a.pointer);

describeWith(['torch'], 'PyTorch', () => {
  beforeAll(() => python.run('import torch'));

  test.each(['torch.from_dlpack(a)', 'torch.as_tensor(a)'])(
    '%s is the same memory, written on either side',
    way => {
      const a = arange(6, { dtype: 'float32' }).reshape(2, 3);
      expect(ask(`${way}.data_ptr()`, a)).toBe(address(a));
      run(`${way}[1, 2] = 42`, a);
      expect(a.item(1, 2)).toBe(42);
      a.fill(3);
      expect(ask(`${way}.sum().item()`, a)).toBe(18);
    }
  );

  test.each([
    ['bool', 'torch.bool'],
    ['uint8', 'torch.uint8'],
    ['int64', 'torch.int64'],
    ['float16', 'torch.float16'],
    ['bfloat16', 'torch.bfloat16'],
    ['complex64', 'torch.complex64'],
    ['float8_e4m3fn', 'torch.float8_e4m3fn']
  ])('rules 125 to 127: %s', (dtype, name) => {
    const a = zeros([2], { dtype });
    expect(ask(`repr(torch.from_dlpack(a).dtype)`, a)).toBe(name);
    expect(ask('torch.from_dlpack(a).data_ptr()', a)).toBe(address(a));
  });

  test('rules 22, 116: views', () => {
    const a = arange(12, { dtype: 'float32' }).reshape(3, 4);
    for (const view of [a.T, a.slice(null, '::2'), a.slice(1), a.slice(1, 2), a.slice('1:1')])
      expect(ask('torch.from_dlpack(a).tolist()', view)).toEqual(view.toNested());
  });

  test('values of bfloat16', () => {
    const a = array([1.5, -2, 3], { dtype: 'bfloat16' });
    expect(ask('torch.from_dlpack(a).float().tolist()', a)).toEqual([1.5, -2, 3]);
  });

  test('a tensor keeps the memory of a freed array alive', () => {
    const a = arange(4);
    python.run('kept = []');
    run('kept.append(torch.from_dlpack(a))', a);
    a.dispose();
    expect(python.toJS(python.evaluate('kept.pop().tolist()'))).toEqual([0, 1, 2, 3]);
  });
});

describeWith(['jax'], 'JAX', () => {
  test('imports its own read-only arrays again without a copy, also before 0.12, which requests the unversioned struct', () => {
    python.run('import jax, jax.dlpack, jax.numpy as jnp\nx = jnp.arange(4096.0).reshape(64, 64)');
    const x = python.evaluate('x') as PyObject;
    const a = python.asArray(x);
    expect(a.readOnly).toBe(true);
    expect(ask('jax.dlpack.from_dlpack(a).unsafe_buffer_pointer()', a)).toBe(address(a));
    expect(ask('jnp.asarray(a).tolist()', a)).toEqual(a.toNested());
    const rows = a.slice('1:3');
    expect(ask('jax.dlpack.from_dlpack(a).tolist()', rows)).toEqual(rows.toNested());
    x[Symbol.dispose]();
    expect(ask('jax.dlpack.from_dlpack(a).shape', a.slice('2:'))).toEqual([62, 64]);
  });

  test('before 0.12 is the only exception: other consumers, and other read-only memory, are refused (rule 137)', () => {
    const a = python.asArray(python.evaluate('jnp.arange(4.0)') as PyObject);
    expect(refusal('a.__dlpack__()', a)).toMatch(/^BufferError: .*pass a copy/);
    const readOnly = arange(4, { dtype: 'float32' }).asReadOnly();
    // Since 0.12 it requests the versioned struct, which says that the memory is read-only.
    if (python.evaluate('tuple(map(int, jax.__version__.split(".")[:2])) >= (0, 12)') === true)
      expect(ask('jax.dlpack.from_dlpack(a).unsafe_buffer_pointer()', readOnly)).toBe(address(readOnly));
    else expect(refusal('jax.dlpack.from_dlpack(a)', readOnly)).toMatch(/^BufferError: .*pass a copy/);
    expect(ask('jax.dlpack.from_dlpack(a).tolist()', a.copy())).toEqual([0, 1, 2, 3]);
  });

  test.each(['float8_e4m3fn', 'float8_e5m2'] as const)(
    'imports %s, whose code came with DLPack 1.1 (rule 144)',
    dtype => {
      const a = ones(64, { dtype });
      expect(ask('str(jax.dlpack.from_dlpack(a).dtype)', a)).toBe(dtype);
      expect(ask('jax.dlpack.from_dlpack(a).astype("float32").sum().item()', a)).toBe(64);
      const theirs = python.asArray(python.evaluate(`jnp.ones(64, dtype=jnp.${dtype})`) as PyObject);
      expect(ask('jax.dlpack.from_dlpack(a).astype("float32").sum().item()', theirs)).toBe(64);
      expect(refusal('a.__dlpack__()', a)).toMatch(/rule 144/);
    }
  );

  test('jax.dlpack.from_dlpack has the values, also of bfloat16', () => {
    python.run('import jax, jax.dlpack, jax.numpy as jnp');
    const a = arange(6, { dtype: 'float32' }).reshape(2, 3);
    expect(ask('jax.dlpack.from_dlpack(a).tolist()', a)).toEqual(a.toNested());
    expect(ask('jnp.asarray(a).tolist()', a)).toEqual(a.toNested());
    const small = array([1.5, -2], { dtype: 'bfloat16' });
    expect(ask('jax.dlpack.from_dlpack(a).astype("float32").tolist()', small)).toEqual([1.5, -2]);
  });
});

describeWith(['pyarrow'], 'PyArrow', () => {
  test('one of our buffers is a column, over the same bytes', () => {
    python.run('import pyarrow as pa');
    const a = arange(4, { dtype: 'int64' });
    expect(ask('pa.py_buffer(a).address', a)).toBe(address(a));
    expect(ask('pa.Array.from_buffers(pa.int64(), 4, [None, pa.py_buffer(a)]).to_pylist()', a)).toEqual([
      0, 1, 2, 3
    ]);
    expect(ask('pa.py_buffer(a).is_mutable', a.asReadOnly())).toBe(false);
    expect(ask('pa.array(__import__("numpy").asarray(a)).to_pylist()', a)).toEqual([0, 1, 2, 3]);
  });
});

describeWith(['tvm_ffi'], 'tvm-ffi, by the exchange table', () => {
  beforeAll(() => python.run('import tvm_ffi'));

  test('from_dlpack is the same memory', () => {
    const a = arange(6, { dtype: 'float32' }).reshape(2, 3);
    expect(ask('tuple(tvm_ffi.from_dlpack(a).shape)', a)).toEqual([2, 3]);
    expect(ask('tvm_ffi.from_dlpack(a).data_ptr()', a)).toBe(address(a));
  });

  test('an array can be an argument of its functions', () => {
    const a = arange(3, { dtype: 'float32' });
    expect(ask('tvm_ffi.convert(lambda t: t.data_ptr())(a)', a)).toBe(address(a));
    expect(ask('str(tvm_ffi.convert(lambda t: t.dtype)(a))', zeros([1], { dtype: 'bfloat16' }))).toBe(
      'bfloat16'
    );
  });
});

describeWith(['numba', 'numpy'], 'Numba', () => {
  test('a compiled function writes to one of our arrays', () => {
    python.run('import numba, numpy as np\n@numba.njit\ndef fill(x):\n for i in range(x.size): x[i] = i * i');
    const a = zeros([5], { dtype: 'float64' });
    run('fill(np.asarray(a))', a);
    expect(a.toNested()).toEqual([0, 1, 4, 9, 16]);
  });
});

describeWith(['ml_dtypes', 'numpy'], 'ml_dtypes', () => {
  beforeAll(() => python.run('import ml_dtypes, numpy as np'));

  test('names the dtype if it is loaded; NumPy alone reports what to do', () => {
    const a = array([1.5, -2], { dtype: 'bfloat16' });
    expect(ask('a.dtype == ml_dtypes.bfloat16', a)).toBe(true);
    expect(() => ask('np.asarray(a)', a)).toThrow(
      /TypeError: NumPy has no dtype for bfloat16: use numpy.frombuffer/
    );
  });

  test('converts for NumPy the dtypes that NumPy lacks, by the bytes', () => {
    const a = array([1.5, -2], { dtype: 'bfloat16' });
    expect(ask('np.frombuffer(a, dtype=ml_dtypes.bfloat16).astype("f4").tolist()', a)).toEqual([1.5, -2]);
    expect(ask('np.frombuffer(a, dtype=ml_dtypes.bfloat16).ctypes.data', a)).toBe(address(a));
  });
});

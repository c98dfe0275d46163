/** Who is looked at, and the adopters of the CUDA Array Interface that cannot be. */

/**
 * @typedef {{ name: string, module: string, needs: string }} Library
 * `module` in python/ drives it, `needs` is what an environment must have for it.
 */

/** By the device that the arrays are on. @type {{ readonly host: readonly Library[], readonly cuda: readonly Library[] }} */
export const libraries = {
  host: [
    { name: 'NumPy', module: 'numpy_host', needs: 'numpy' },
    { name: 'PyTorch', module: 'torch_host', needs: 'torch' },
    { name: 'JAX', module: 'jax_host', needs: 'jax' },
    { name: 'PyArrow', module: 'pyarrow_host', needs: 'pyarrow' },
    { name: 'tvm-ffi', module: 'tvm_host', needs: 'tvm_ffi' },
    { name: 'mpi4py', module: 'mpi_host', needs: 'mpi4py' },
    { name: 'Warp', module: 'warp_host', needs: 'warp' },
    { name: 'DALI', module: 'dali_host', needs: 'nvidia.dali' },
    { name: 'Numba’s simulator', module: 'numba_simulator', needs: 'numba' }
  ],
  cuda: [
    { name: 'CuPy', module: 'cupy_cuda', needs: 'cupy' },
    { name: 'PyTorch', module: 'torch_cuda', needs: 'torch' },
    { name: 'Numba', module: 'numba_on_cuda', needs: 'numba' },
    { name: 'JAX', module: 'jax_cuda', needs: 'jax' },
    { name: 'cuda.core', module: 'cuda_core_views', needs: 'cuda' },
    { name: 'tvm-ffi', module: 'tvm_cuda', needs: 'tvm_ffi' },
    { name: 'RMM', module: 'rmm_cuda', needs: 'rmm' },
    { name: 'PyCUDA', module: 'pycuda_cuda', needs: 'pycuda' },
    { name: 'mpi4py', module: 'mpi_cuda', needs: 'mpi4py' },
    { name: 'Warp', module: 'warp_cuda', needs: 'warp' }
  ]
};

/**
 * The adopters that the interface's own document lists, in its order: where they were looked at, or why they could not be.
 * @type {readonly { name: string, row: string | null, reason?: string }[]}
 */
export const adopters = [
  { name: 'Numba', row: 'Numba' },
  { name: 'CuPy', row: 'CuPy' },
  { name: 'PyTorch', row: 'PyTorch' },
  {
    name: 'PyArrow',
    row: 'PyArrow',
    reason: 'On the host only: the wheels of PyArrow are built without `pyarrow.cuda`.'
  },
  {
    name: 'mpi4py',
    row: 'mpi4py',
    reason:
      'What it sees of an array: the MPI wheels on PyPI are built without CUDA, so nothing is sent from device memory.'
  },
  {
    name: 'ArrayViews',
    row: null,
    reason:
      'No package on PyPI, last changed in February 2019. It has no arrays of its own: it makes those of NumPy, pandas, PyArrow, CuPy, Numba and cuDF of one another.'
  },
  { name: 'JAX', row: 'JAX' },
  {
    name: 'PyCUDA',
    row: 'PyCUDA',
    reason:
      'Built from its source without cuRAND and OpenGL; it makes no array of another’s memory, its kernels take bare addresses.'
  },
  {
    name: 'DALI',
    row: 'DALI',
    reason: 'On the host only: its wheel of 199 MB did not come to the GPU machine, which has no network.'
  },
  {
    name: 'cuDF',
    row: null,
    reason:
      'libcudf-cu13 26.10 is a wheel of 301 MB, which the GPU machine did not get. Its columns are memory of RMM, its `values` arrays of CuPy.'
  },
  {
    name: 'cuML',
    row: null,
    reason: 'It needs cuDF and libcuml-cu13 (66 MB). What it gives are arrays of CuPy, or of cuDF.'
  },
  {
    name: 'cuSignal',
    row: null,
    reason: 'No package on PyPI: since 23.10 it is `cupyx.scipy.signal` of CuPy, whose arrays these are.'
  },
  { name: 'RMM', row: 'RMM' }
];

/** The tested libraries, and the adopters of the CUDA Array Interface with the reasons why some are not tested. */

/**
 * @typedef {{ name: string, module: string, needs: string }} Library
 * `module` in python/ drives it; `needs` is the Python module that must be installed.
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
    { name: 'numba-cuda-mlir', module: 'numba_mlir_on_cuda', needs: 'numba_cuda_mlir' },
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
 * The adopters that the interface's document lists, in its order: the library's row, or why it was not tested.
 * @type {readonly { name: string, row: string | null, reason?: string }[]}
 */
export const adopters = [
  { name: 'Numba', row: 'Numba' },
  { name: 'CuPy', row: 'CuPy' },
  {
    name: 'PyTorch',
    row: 'PyTorch',
    reason:
      'On the GPU it ran with the libraries of CUDA 13.0, and with stand-ins for functions of newer versions of NCCL and NVSHMEM, which no exchange calls.'
  },
  {
    name: 'PyArrow',
    row: 'PyArrow',
    reason: 'On the host only: the wheels of PyArrow are built without `pyarrow.cuda`.'
  },
  {
    name: 'mpi4py',
    row: 'mpi4py',
    reason:
      'Imports only: the MPI wheels on PyPI are built without CUDA, so nothing is sent from device memory.'
  },
  {
    name: 'ArrayViews',
    row: null,
    reason:
      'No package on PyPI, last changed in February 2019. It has no array type; it converts between the arrays of NumPy, pandas, PyArrow, CuPy, Numba and cuDF.'
  },
  { name: 'JAX', row: 'JAX' },
  {
    name: 'PyCUDA',
    row: 'PyCUDA',
    reason:
      'Not installed: it must be built from source, without cuRAND and OpenGL. It cannot import external memory as an array; its kernels accept addresses.'
  },
  {
    name: 'DALI',
    row: 'DALI',
    reason: 'On the host only: it was not installed on the GPU machine.'
  },
  {
    name: 'cuDF',
    row: null,
    reason:
      'Not installed: libcudf-cu13 26.10 is a wheel of 301 MB. Its columns use RMM memory; its `values` are CuPy arrays.'
  },
  {
    name: 'cuML',
    row: null,
    reason: 'It needs cuDF and libcuml-cu13 (66 MB). Its results are CuPy or cuDF arrays.'
  },
  {
    name: 'cuSignal',
    row: null,
    reason: 'No package on PyPI: since 23.10 it is CuPy’s `cupyx.scipy.signal`, with CuPy arrays.'
  },
  { name: 'RMM', row: 'RMM' }
];

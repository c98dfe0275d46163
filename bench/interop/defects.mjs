/**
 * Defects in how other libraries export or import arrays, found in their sources, with the numbers that the tests use.
 * `versions`: the newest that was checked.
 * @type {readonly { number: number, library: string, defect: string, versions: string, guard: string }[]}
 */
export const defects = [
  {
    number: 1,
    library: 'Numba, numba-cuda-mlir',
    defect:
      'A broadcast array (stride 0) is exported without strides, as if it were contiguous: consumers read past its end.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard: '`asArray` reads the strides from the array itself.'
  },
  {
    number: 2,
    library: 'Numba, numba-cuda-mlir',
    defect: 'An array on `cuda.default_stream()` is exported with stream 0, which version 3 forbids.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      'Stream 0 from these libraries is read as the legacy default stream, which they mean by it; from other producers it is an error (rule 67).'
  },
  {
    number: 3,
    library: 'Numba, numba-cuda-mlir',
    defect:
      'With a host-only memory manager plugin the limit of pending frees stays 0, so each free runs at once.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      'Our plugins (`python.shareMemoryManager`) set the limit, and device memory is freed through our manager’s queue.'
  },
  {
    number: 4,
    library: 'Numba, numba-cuda-mlir',
    defect: 'A launch with host arrays allocates temporaries without the memory manager plugin.',
    versions: 'numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      'None: our manager does not log these allocations. A launch with our arrays allocates nothing, because they are already on the device.'
  },
  {
    number: 5,
    library: 'Numba, numba-cuda-mlir',
    defect:
      '`set_memory_manager` silently takes precedence over NUMBA_CUDA_MEMORY_MANAGER; the specification demands the opposite, with a warning.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      'Our `setMemoryManager` follows the specification and warns (rule 202); `shareMemoryManager` reports the outcome for each library.'
  },
  {
    number: 6,
    library: 'Numba, numba-cuda-mlir',
    defect: '`mapped_array` ignores `portable` and `wc`.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      'The page-locked memory of our arrays is always portable; for imported pointers the driver reports the kind of memory.'
  },
  {
    number: 7,
    library: 'Numba, numba-cuda-mlir',
    defect: '`open_ipc_array` stays open after an exception, and its size ignores strides.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      'Stridelab does not use it: arrays are shared with `share` and `stridelab.open`, which also close after an exception.'
  },
  {
    number: 8,
    library: 'CuPy',
    defect:
      'The memory size of an array imported with DLPack is the sum of its shape. A broadcast array (strides 0) imported with the CUDA Array Interface has memory size 0, and the current device instead of the pointer’s.',
    versions: 'CuPy 14.2.0, main',
    guard:
      'None is needed: CuPy only reports this size, and our storage records its size itself. Our imports ask the driver for the device of a pointer.'
  },
  {
    number: 9,
    library: 'CuPy, Warp',
    defect:
      'Strides that are not multiples of the item size are rounded down in DLPack, so other elements are read.',
    versions: 'CuPy 14.2.0, Warp 1.19.0',
    guard:
      '`asArray` checks the strides of the array itself, and imports such an array with another of its protocols.'
  },
  {
    number: 10,
    library: 'Warp',
    defect: '`from_dlpack` ignores `byte_offset`: the array starts at the allocation instead of the view.',
    versions: 'Warp 1.19.0',
    guard: 'Our exports include the offset in the pointer, with `byte_offset` 0 (rule 114).'
  },
  {
    number: 11,
    library: 'JAX',
    defect: 'Its import of the CUDA Array Interface ignores streams 1 and 2, and keeps no owner alive.',
    versions: 'JAX 0.12.0.1',
    guard:
      'Our arrays have `__jax_array__`, which `jax.numpy.asarray` calls first: it imports them with DLPack, waits and keeps them alive.'
  },
  {
    number: 12,
    library: 'RMM',
    defect: 'Its plugin for Numba ignores the driver’s status when it requests an IPC handle.',
    versions: 'RMM 26.10.0',
    guard:
      'Our plugins for Numba and numba-cuda-mlir first check whether the memory can be shared, and raise the driver’s errors (rule 194).'
  },
  {
    number: 13,
    library: 'CuPy',
    defect: 'Negative strides are divided as unsigned numbers in DLPack, with results near 2^61.',
    versions: 'CuPy 14.2.0',
    guard:
      '`asArray` imports such an array with another of its protocols, as for defect 9. With `via: "dlpack"` it throws.'
  },
  {
    number: 14,
    library: 'JAX',
    defect:
      '`jax.numpy.asarray` accepts only JAX’s own streams in the CUDA Array Interface, and refuses other arrays.',
    versions: 'JAX 0.12.0.1',
    guard: '`__jax_array__`, as for defect 11.'
  },
  {
    number: 15,
    library: 'PyTorch',
    defect:
      'The import of a GPU array with negative strides aborts the process, for any producer, with DLPack and the CUDA Array Interface: it throws an exception where none is allowed.',
    versions: 'PyTorch 2.11.0; 2.15.0 raises RuntimeError',
    guard: 'None is possible, since a producer cannot identify its consumer: pass `a.copy()`.'
  },
  {
    number: 16,
    library: 'DALI',
    defect:
      'Its `__array_interface__` has a typestr without a size (`=f`). It imports a complex buffer as real numbers, with half of the bytes.',
    versions: 'DALI 2.4.0',
    guard:
      '`asArray` uses DLPack first, and refuses the typestr with an error (rule 32). None for buffers: export complex arrays with DLPack, which DALI refuses.'
  },
  {
    number: 17,
    library: 'Numba, numba-cuda-mlir',
    defect:
      'With cuda-bindings 13.5 no process can send or open an IPC handle: the driver’s struct has lost the attribute `reserved`, which they use.',
    versions: 'numba-cuda 0.30.4, numba-cuda-mlir 0.6.0',
    guard:
      '`python.memoryManager` reads the handle at the address of the struct. Arrays are shared with `share` and `stridelab.open`, which do not use their handles.'
  }
];

/**
 * Defects of other libraries in what they say of their arrays, or in what they take from others: found by reading their sources, numbered as
 * the tests number them. `versions`: the newest that was looked at.
 * @type {readonly { number: number, library: string, defect: string, versions: string, guard: string }[]}
 */
export const defects = [
  {
    number: 1,
    library: 'Numba',
    defect:
      'A broadcast array (stride 0) is exported without strides, as if it were contiguous: consumers read past its end.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4',
    guard: '`asArray` asks the array for its own strides and takes those.'
  },
  {
    number: 2,
    library: 'Numba',
    defect: 'An array on `cuda.default_stream()` is exported with stream 0, which version 3 forbids.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4',
    guard:
      'Numba’s 0 is read as the legacy default stream, which is what it means there; anybody else’s is refused (rule 67).'
  },
  {
    number: 3,
    library: 'Numba',
    defect:
      'Under a host-only memory manager plugin the capacity for pending frees stays 0, so that each free flushes at once.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4',
    guard:
      'Our plugin (`python.shareMemoryManager`) sets the capacity, and device memory goes back through our own manager’s queue.'
  },
  {
    number: 4,
    library: 'Numba',
    defect: 'Temporaries of a launch with host arrays are allocated past the memory manager plugin.',
    versions: 'numba-cuda 0.30.4',
    guard:
      'Not ours to mend: the log of our manager misses these. Arrays of ours lie on the device already, so a launch with them allocates nothing.'
  },
  {
    number: 5,
    library: 'Numba',
    defect:
      '`set_memory_manager` wins silently over NUMBA_CUDA_MEMORY_MANAGER; the specification says the opposite, with a warning.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4',
    guard:
      'Our own `setMemoryManager` keeps to the specification and warns (rule 202); `shareMemoryManager` tells what became of each library.'
  },
  {
    number: 6,
    library: 'Numba',
    defect: '`mapped_array` forgets `portable` and `wc`.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4',
    guard:
      'Mapped memory from us is portable without being asked, and a pointer says what it is: the driver is asked for its kind.'
  },
  {
    number: 7,
    library: 'Numba',
    defect: '`open_ipc_array` stays open after an exception, and its size leaves strides out.',
    versions: 'numba 0.68.1, numba-cuda 0.30.4',
    guard:
      'Arrays for another process go by `share` and `stridelab.open`, which close in any case; it is not used.'
  },
  {
    number: 8,
    library: 'CuPy',
    defect:
      'The size of what comes by DLPack is the sum of the shape; an array of strides 0 that comes by the CUDA Array Interface has size 0 and the current device in place of the pointer’s.',
    versions: 'CuPy 14.2.0, main',
    guard:
      'The memory is ours and keeps its own size; CuPy’s size is for its reports. Ours asks the driver for a pointer’s device whatever the producer says.'
  },
  {
    number: 9,
    library: 'CuPy, Warp',
    defect:
      'Strides that are no multiple of the item size are rounded down in DLPack: other elements are read.',
    versions: 'CuPy 14.2.0, Warp 1.19.0',
    guard: '`asArray` looks at the array’s own strides, and takes such an array by its other interface.'
  },
  {
    number: 10,
    library: 'Warp',
    defect: '`from_dlpack` does not read `byte_offset`: it starts at the allocation, not at the view.',
    versions: 'Warp 1.19.0',
    guard: 'What we export has its offset in the pointer, and `byte_offset` 0 (rule 114).'
  },
  {
    number: 11,
    library: 'JAX',
    defect: 'Its import by the CUDA Array Interface takes streams 1 and 2 for none, and keeps no owner.',
    versions: 'JAX 0.11.2',
    guard:
      'Our arrays have `__jax_array__`, which `jax.numpy.asarray` asks for first: it takes them by DLPack, waits and keeps them.'
  },
  {
    number: 12,
    library: 'RMM',
    defect: 'Its plugin for Numba ignores what the driver answers when it is asked for an IPC handle.',
    versions: 'RMM 26.10.0',
    guard:
      'Our plugin for Numba says which memory cannot be shared before the driver is asked, and lets the driver’s answer through as an error (rule 194).'
  },
  {
    number: 13,
    library: 'CuPy',
    defect: 'Negative strides are divided as unsigned numbers in DLPack: they come out near 2^61.',
    versions: 'CuPy 14.2.0',
    guard:
      'As for defect 9: `asArray` takes such an array by its other interface. By `via: "dlpack"` it is refused.'
  },
  {
    number: 14,
    library: 'JAX',
    defect:
      '`jax.numpy.asarray` looks for the streams of the CUDA Array Interface among its own, and refuses an array of any other.',
    versions: 'JAX 0.11.2',
    guard: 'As for defect 11.'
  },
  {
    number: 15,
    library: 'PyTorch',
    defect:
      'An array on a GPU with negative strides ends the process: an error is thrown where none may be, by DLPack and by the CUDA Array Interface, whoever the producer is.',
    versions: 'PyTorch 2.11.0; 2.15.0 raises RuntimeError on the host',
    guard: 'None is possible, since a consumer does not say who it is: give it `a.copy()`.'
  },
  {
    number: 16,
    library: 'DALI',
    defect:
      'Its `__array_interface__` says a typestr without a size (`=f`), and a complex buffer that it is given becomes a real one of half the bytes.',
    versions: 'DALI 2.4.0',
    guard:
      '`asArray` takes DLPack first, and refuses the typestr by name (rule 32). What DALI makes of a buffer is its own: it refuses complex arrays by DLPack.'
  }
];

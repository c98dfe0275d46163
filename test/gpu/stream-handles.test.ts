/** Stream handles of another library, valid and destroyed, passed to NVIDIA's driver: each case in its own process, which may crash. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

const simulated = process.env['STRIDELAB_TEST_DEVICE']?.startsWith('sim') === true;

/**
 * A program with `create` and `destroy`, which call the driver, and `alive`, a stream that `create` made. The library can tell a
 * destroyed stream only after its memory is reused, so `destroy` reuses it.
 */
function printed(source: string): string {
  const program = `
    import { asCudaArray, python, Stream, zeros } from ${JSON.stringify(import.meta.resolve('stridelab'))};
    const on = { device: 'cuda:0' };
    zeros(1, { ...on, dtype: 'uint8' }).fill(1);
    python.run(\`
import ctypes
cuda = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
cuda.cuInit(0)
assert cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0) == 0
def create():
    handle = ctypes.c_void_p()
    cuda.cuCtxPushCurrent_v2(context)
    assert cuda.cuStreamCreateWithPriority(ctypes.byref(handle), 1, 0) == 0
    return handle.value
libc = ctypes.CDLL(None)
libc.malloc.restype = ctypes.c_void_p
libc.malloc.argtypes = libc.malloc_usable_size.argtypes = [ctypes.c_size_t]
def reuse(handle, size):
    for attempt in range(1000):
        if libc.malloc(size) == handle:
            ctypes.memset(handle, 0, size)
            return
    raise RuntimeError("the memory of the stream was not freed")
def destroy(handle):
    size = libc.malloc_usable_size(handle)
    assert cuda.cuStreamDestroy_v2(ctypes.c_void_p(handle)) == 0
    reuse(handle, size)
\`);
    const [create, destroy] = [() => BigInt(python.evaluate('create')()), handle => python.evaluate('destroy')(handle)];
    const caught = action => { try { return String(action()); } catch (error) { return error.name; } };
    const alive = Stream.fromHandle(create(), 'cuda:0');
    ${source}`;
  const { stdout, stderr, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8'
  });
  return signal === null ? stdout.trim() : `${signal} ${stderr}`;
}

const CASES: readonly (readonly [what: string, source: string, expected: string])[] = [
  ['a living stream is taken', 'console.log(alive.query() || true)', 'true'],
  [
    'an address of nothing is refused',
    "console.log(caught(() => Stream.fromHandle(0xdeadbeef0n, 'cuda:0')))",
    'DriverError'
  ],
  [
    'a destroyed stream is refused',
    "const dead = create(); destroy(dead); console.log(caught(() => Stream.fromHandle(dead, 'cuda:0')))",
    'DriverError'
  ],
  [
    'a destroyed stream of ours is refused',
    "const own = new Stream(on); const { handle } = own; own.dispose(); console.log(caught(() => Stream.fromHandle(handle, 'cuda:0')))",
    'DriverError'
  ],
  [
    'a stream that its owner destroys is noticed',
    `const handle = create();
     const stream = Stream.fromHandle(handle, 'cuda:0');
     const a = zeros(4, { ...on, dtype: 'uint8', stream });
     a.fill(3);
     destroy(handle);
     console.log(caught(() => stream.synchronize()), stream.destroyed, a.onStream(Stream.legacyDefault('cuda:0')).toNested().join());`,
    'FreedError true 3,3,3,3'
  ],
  [
    'an address of nothing in a descriptor and of a consumer is refused',
    `const a = zeros(4, { ...on, dtype: 'uint8' });
     const dead = 0xdeadbeef0n;
     console.log(caught(() => asCudaArray({ __cuda_array_interface__: { ...a.__cuda_array_interface__, stream: dead } })),
       caught(() => python.evaluate('lambda a, s: a.__dlpack__(stream=s, max_version=(1, 3))')(a, dead)));`,
    'DescriptorError PythonError'
  ]
];

for (const [what, source, expected] of CASES) {
  test(`rule 93: ${what}`, t => {
    if (simulated) return t.skip('it is the simulated device');
    assert.equal(printed(source), expected);
  });
}

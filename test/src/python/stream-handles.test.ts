/** Stream handles of another library, possibly destroyed: an error is raised before the driver would follow an invalid one. */

import { buildFakeCuda } from '../../cuda/fake-cuda.ts';
import { describeWith } from './environment.ts';
import { runProgram } from './program.ts';

const cuda = buildFakeCuda();
afterAll(cuda.remove);

/** A library that makes and destroys streams. */
const library = `
import ctypes
cuda = ctypes.CDLL("${cuda.file}")
cuda.cuInit(0)
def create():
    handle = ctypes.c_void_p()
    assert cuda.cuStreamCreateWithPriority(ctypes.byref(handle), 1, 0) == 0
    return handle.value
def destroy(handle):
    assert cuda.cuStreamDestroy_v2(ctypes.c_void_p(handle)) == 0
`;

async function printed(source: string): Promise<string> {
  const { stdout, stderr, signal } = await runProgram(
    `const { asCudaArray, Stream, zeros } = await import(library);
    python.run(${JSON.stringify(library)});
    const [create, destroy] = [python.evaluate('create'), python.evaluate('destroy')];
    const caught = action => { try { return String(action()); } catch (error) { return error.name + ': ' + error.message; } };
    ${source}`,
    { environment: { ...cuda.environment, STRIDELAB_CUDA_MEMORY_MANAGER: '' } }
  );
  return signal === null && stderr === '' ? stdout.trim() : `${signal} ${stdout}${stderr}`;
}

describeWith([], 'a stream handle', () => {
  test('of a live stream is accepted, of a destroyed one is refused', async () => {
    const source = `
      const handle = BigInt(create());
      const stream = Stream.fromHandle(handle, 'cuda:0');
      console.log(stream.query());
      const other = BigInt(create());
      destroy(other);
      console.log(caught(() => Stream.fromHandle(other, 'cuda:0')));`;
    expect(await printed(source)).toMatch(/^true\nDriverError: .*0x[0-9a-f]+.*destroyed/);
  });

  test.each(['0xdeadbeef0n', '0x7f0000000000n', '0x7f0000000001n'])(
    '%s, which never existed, is refused',
    async handle => {
      expect(await printed(`console.log(caught(() => Stream.fromHandle(${handle}, 'cuda:0')))`)).toMatch(
        /^DriverError: .*destroyed/
      );
    }
  );

  test('of a known stream is noticed as destroyed by its owner', async () => {
    const source = `
      const handle = BigInt(create());
      const stream = Stream.fromHandle(handle, 'cuda:0');
      const array = zeros(4, { dtype: 'uint8', device: 'cuda:0', stream });
      array.fill(3);
      destroy(handle);
      console.log(caught(() => stream.synchronize()), stream.destroyed);
      console.log(caught(() => array.fill(4, { stream })));
      console.log(array.onStream(Stream.legacyDefault('cuda:0')).toNested().join());
      console.log(caught(() => Stream.fromHandle(handle, 'cuda:0')));`;
    expect(await printed(source)).toMatch(
      /^FreedError: stream \d+ was destroyed true\nFreedError: .*\n3,3,3,3\nDriverError: /
    );
  });

  test('of one of our destroyed streams is refused as well, and a new stream at its address is accepted', async () => {
    const source = `
      const stream = new Stream({ device: 'cuda:0' });
      const { handle } = stream;
      stream.dispose();
      console.log(caught(() => Stream.fromHandle(handle, 'cuda:0')));`;
    expect(await printed(source)).toMatch(/^DriverError: /);
  });

  test('of a destroyed stream is refused by name in a descriptor, and by __dlpack__ in Python', async () => {
    const source = `
      const array = zeros(4, { dtype: 'uint8', device: 'cuda:0' });
      const handle = BigInt(create());
      Stream.fromHandle(handle, 'cuda:0');
      const dead = BigInt(create());
      destroy(dead);
      const described = { ...array.__cuda_array_interface__, stream: dead };
      console.log(caught(() => asCudaArray({ __cuda_array_interface__: described })));
      console.log(caught(() => python.evaluate('lambda a, s: a.__dlpack__(stream=s, max_version=(1, 3))')(array, dead)));`;
    expect(await printed(source)).toMatch(
      /^DescriptorError: .*'stream'.*rule 93.*\nPythonError: ValueError: /
    );
  });
});

/**
 * Importing another library's GPU memory as the program's first use of the library, with each protocol in a separate process.
 * Nothing has opened the driver before.
 */

import { buildFakeCuda } from '../../cuda/fake-cuda.ts';
import { describeWith, sourceOf } from './environment.ts';
import { runProgram } from './program.ts';

const cuda = buildFakeCuda();
afterAll(cuda.remove);

/** Four doubles on the device, made by a library that opened CUDA itself. */
const library = `
${sourceOf('producers.py')}
cuda = ctypes.CDLL("${cuda.file}")
pointer = ctypes.c_uint64()
assert cuda.cuInit(0) == 0
assert cuda.cuMemAlloc_v2(ctypes.byref(pointer), ctypes.c_size_t(32)) == 0
(ctypes.c_double * 4).from_address(pointer.value)[:] = [1, 2, 3, 4]
descriptor = dict(shape=(4,), typestr="<f8", data=(pointer.value, False), version=3, stream=None)
class OnGpu:
    __cuda_array_interface__ = descriptor
class OfTorch(OnGpu):
    __cuda_array_interface__ = dict(descriptor, version=2)
class Tensor(Producer):
    def __dlpack__(self, **arguments):
        capsule = make_capsule(shape=(4,), device=(2, 0))
        list(alive.values())[-1][0].tensor.data = pointer.value
        return capsule
def tensor_of_table(value, out):
    out[0] = make_managed(shape=(4,), device=(2, 0))
    list(alive.values())[-1][0].tensor.data = pointer.value
    return 0
OfTable = class_with(make_table(from_object=tensor_of_table))
`;

const evaluate = (expression: string): string => `python.evaluate(${JSON.stringify(expression)})`;
const descriptor = `{ shape: [4], typestr: '<f8', data: [BigInt(${evaluate('pointer.value')}), false], version: 3 }`;

describeWith([], 'the first use of a GPU array', () => {
  test.each([
    [`python.asArray(${evaluate('OnGpu()')}, { via: 'cuda-array-interface' })`],
    [`python.asArray(${evaluate('OnGpu()')})`],
    [`python.asArray(${evaluate('OfTorch()')})`],
    [`python.asArray(${evaluate('Tensor(device=(2, 0))')}, { via: 'dlpack' })`],
    [`python.asArray(${evaluate('OfTable()')}, { via: 'exchange-table' })`],
    [`fromCudaArrayInterface(${descriptor})`],
    [`asCudaArray({ __cuda_array_interface__: ${descriptor} })`],
    [`asCudaArray({ __cuda_array_interface__: ${descriptor} }, { validate: 'strict' })`]
  ])('%s', async expression => {
    const source = `
      const { asCudaArray, fromCudaArrayInterface } = await import(library);
      python.run(${JSON.stringify(library)});
      const array = ${expression};
      console.log(array.device.label, array.pointer === BigInt(${evaluate('pointer.value')}), ...array.toNested());`;
    const { stdout, stderr } = await runProgram(source, { environment: cuda.environment });
    expect(stdout === '' ? stderr : stdout).toBe('cuda:0 true 1 2 3 4\n');
  });
});

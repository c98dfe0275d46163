/** Launches of elementwise programs on a GPU, which keep what depends on layouts alone: each is what a first launch would be. */

import { jest } from '@jest/globals';

import type { CompileRequest } from '../../../src/compiler/nvrtc.ts';
import type { Elements } from '../../../src/compute/program/runs.ts';

/** Bytes of the parameters that the generated source declares. */
function parameterSizes(source: string): number[] {
  const index = source.includes('typedef long long Index') ? 8 : 4;
  const { rank, operands } = /Unsigned shape\[(?<rank>\d+)\]; Index strides\[(?<operands>\d+)\]/.exec(source)!
    .groups as { rank: string; operands: string };
  const list = /elementwise\((.*)\) \{/.exec(source)![1]!.split(', ');
  return list.map(parameter => {
    if (parameter.includes('*')) return 8;
    if (parameter.includes('Dims')) return index * Number(rank) * (1 + Number(operands));
    return parameter.includes('Index') ? index : 4;
  });
}

const nvrtc = await import('../../../src/compiler/nvrtc.ts');
// The recording device runs lists of kernels, not machine code.
jest.unstable_mockModule('../../../src/compiler/nvrtc.ts', () => ({
  ...nvrtc,
  compileCode: ({ source }: CompileRequest) => ({
    code: Buffer.from(`elementwise ${parameterSizes(source).join(' ')}`)
  })
}));
const { elementwise } = await import('../../../src/compute/cuda/run-elementwise.ts');
const { kernelWith } = await import('../../../src/compute/cuda/generated-kernel.ts');
const { buildProgram, Expression } = await import('../../../src/compute/program/expression.ts');
const { toDevice } = await import('../../../src/core/device.ts');
const { empty, FreedError, fromCudaArrayInterface, Stream } = await import('../../../src/index.ts');
const { native } = await import('../../../src/native/load.ts');

type BuiltProgram = ReturnType<typeof buildProgram>;
type NDArray = ReturnType<typeof empty>;

const { recording } = native();
const device = toDevice('rec:0');
const [first, second] = [new Stream({ device }), new Stream({ device })];
const floats = (shape: number | number[], stream = first): NDArray =>
  empty(shape, { dtype: 'float32', stream });

const sum = (): BuiltProgram =>
  buildProgram(
    ['float32', 'float32'],
    [Expression.operation('add', 'float32', Expression.input(0, 'float32'), Expression.input(1, 'float32'))]
  );
const times = (value: number): BuiltProgram =>
  buildProgram(
    ['float32'],
    [
      Expression.operation(
        'multiply',
        'float32',
        Expression.input(0, 'float32'),
        Expression.value(value, 'float32')
      )
    ]
  );

/** The launch and its arguments, as the driver received them. */
function launched(built: BuiltProgram, out: NDArray, ...inputs: readonly Elements[]): string[] {
  recording.clear();
  elementwise({ built, shape: out.shape, outputs: [out], inputs, stream: out.stream });
  return recording.log().filter(call => /^(cuLaunch|elementwise)/.test(call));
}

beforeEach(() => recording.reset());
afterAll(() => recording.reset());

test('every launch is what a first launch would be, in any order of layouts', () => {
  const long = floats(64);
  const grid = floats([4, 8]);
  const cube = floats([2, 4, 8]);
  const other = floats(64, second);
  const runs: readonly (readonly [NDArray, NDArray, NDArray])[] = [
    [long, floats(64), floats(64)],
    [floats(64), long, long],
    [long.slice('1:33'), floats(32), floats(32)], // aligned to one element
    [long.slice('2:34'), floats(32), floats(32)], // to two
    [long.slice('::2'), floats(32), floats(32)],
    [long.slice('::-1'), floats(64), floats(64)],
    [floats(64), long.slice('::-1'), floats(64)],
    [grid, floats([4, 8]), floats([4, 8])],
    [grid.T, floats([8, 4]), floats([8, 4])],
    [floats([4, 8]), floats(8), floats([4, 1])], // broadcast
    [floats([4, 8]), floats([]), floats([4, 8])],
    [cube, cube.slice(null, '::-1'), cube],
    [floats(1), floats(1), floats([])],
    [other, floats(64, second), floats(64, second)] // another stream
  ];
  const kept = sum();
  const places = [...runs.keys()];
  const order = [...places, ...places.toReversed(), ...places.flatMap(place => [place, 0, place])];
  for (const place of order) {
    const [out, a, b] = runs[place]!;
    const calls = launched(kept, out, a, b);
    expect(calls).toHaveLength(2);
    expect({ place, calls }).toEqual({ place, calls: launched(sum(), out, a, b) });
  }
});

test('programs with the same kernel keep their own values', () => {
  const [out, x] = [floats(16), floats(16)];
  const [twice, thrice] = [times(2), times(3)];
  const bits = (value: number): string =>
    `0x${new Uint32Array(Float32Array.of(value).buffer)[0]!.toString(16)}`;
  for (let round = 0; round < 3; round++) {
    expect(launched(twice, out, x)[0]).toContain(`, ${bits(2)}, 16)`);
    expect(launched(thrice, out, x)[0]).toContain(`, ${bits(3)}, 16)`);
  }
});

test('a freed array is refused, and nothing is launched', () => {
  const built = sum();
  const [out, a, b] = [floats(16), floats(16), floats(16)];
  launched(built, out, a, b);
  b.dispose();
  expect(() => launched(built, out, a, b)).toThrow(FreedError);
  expect(recording.log().filter(call => call.startsWith('cuLaunch'))).toEqual([]);
});

test('addresses that are not aligned to an element are refused after aligned ones of that layout', () => {
  const built = sum();
  const [out, a] = [floats(8), floats(8)];
  const bytes = empty(64, { dtype: 'uint8', stream: first });
  const at = (offset: number): NDArray =>
    fromCudaArrayInterface(
      { shape: [8], typestr: '<f4', data: [bytes.pointer + BigInt(offset), false], version: 3, stream: null },
      { stream: first, owner: bytes }
    );
  const aligned = launched(built, out, a, at(16));
  expect(aligned).toHaveLength(2);
  expect(() => launched(built, out, a, at(17))).toThrow('not multiples of 4 bytes');
  expect(launched(built, out, a, at(16))).toHaveLength(2);
});

test('work that is captured is launched into the graph', () => {
  const built = sum();
  const [out, a, b] = [floats(16), floats(16), floats(16)];
  const before = launched(built, out, a, b);
  let captured: string[] = [];
  using graph = first.capture(() => (captured = launched(built, out, a, b)));
  expect(captured).toEqual(before);
  graph.launch(first);
});

test('an address carries into its upper half', () => {
  const kernel = kernelWith(device, {
    key: 'carry',
    name: 'elementwise',
    emit: () => 'Unsigned shape[1]; Index strides[1]; elementwise(float* out0, const Index count) {',
    arguments: [0n, { int32: [1] }]
  });
  const addresses = new BigUint64Array(kernel.words.buffer, 0, 1);
  for (const [pointer, offset] of [
    [0x1_ffff_fff0n, 0x20],
    [0x7f00_0000_0000n, 2 ** 40 + 5],
    [0xffff_ffffn, 0],
    [0n, 0]
  ] as const) {
    kernel.setAddress(0, pointer, offset);
    expect(addresses[0]).toBe(pointer + BigInt(offset));
  }
});

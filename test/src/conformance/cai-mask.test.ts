/** Masks: validity arrays on import, in views and copies, and on export. */

import {
  array,
  arange,
  asCudaArray,
  dlpackCrossing,
  fromCudaArrayInterface,
  fromDlpack,
  NDArray,
  scope,
  Stream,
  zeros
} from './library.ts';
import { descriptorOf, foreign, ordersDuring, rec, refusal, sim } from './cai-support.ts';

const data = arange(6, { ...sim, dtype: 'float32' }).reshape(2, 3);
const valid = array(
  [
    [true, false, true],
    [true, true, false]
  ],
  sim
);
const expected = [
  [0, null, 2],
  [3, 4, null]
];

describe('C. mask', () => {
  test.each([null, undefined])('rule 49: mask %p means that all elements are valid', mask => {
    using b = asCudaArray(foreign(data, { mask }));
    expect(b.mask).toBeNull();
    expect(b.toNested()).toEqual(data.toNested());
  });

  test('rule 50: a mask is imported as an array of validity, not refused', () => {
    using b = asCudaArray(foreign(data, { mask: foreign(valid) }));
    expect(b.mask?.dtype.name).toBe('bool');
    expect(b.toNested()).toEqual(expected);
    expect([...b.toTypedArray()]).toEqual([0, 1, 2, 3, 4, 5]);
  });

  test('rule 50: only the truth of an element counts, whatever its type', () => {
    for (const mask of [
      array(
        [
          [-1n, 0n, 7n],
          [1n, 2n, 0n]
        ],
        { ...sim, dtype: 'int16' }
      ),
      array(
        [
          [0.5, 0, NaN],
          [1, -1, -0]
        ],
        { ...sim, dtype: 'float64' }
      ),
      array(
        [
          [{ re: 0, im: 1 }, 0, 1],
          [1, 1, 0]
        ],
        { ...sim, dtype: 'complex64' }
      )
    ]) {
      using b = asCudaArray(foreign(data, { mask: foreign(mask) }));
      expect(b.mask?.dtype).toBe(mask.dtype);
      expect((b.toNested() as unknown[][]).map(row => row.map(value => value === null))).toEqual(
        expected.map(row => row.map(value => value === null || Number.isNaN(value)))
      );
    }
  });

  test('rule 50: its shape broadcasts to that of the data', () => {
    const column = array([[false], [true]], sim);
    const row = array([false, true, true], sim);
    using b = asCudaArray(foreign(data, { mask: foreign(column) }));
    using c = asCudaArray(foreign(data, { mask: foreign(row) }));
    expect(b.toNested()).toEqual([
      [null, null, null],
      [3, 4, 5]
    ]);
    expect(c.toNested()).toEqual([
      [null, 1, 2],
      [null, 4, 5]
    ]);
    expect(c.reshape(6).toNested()).toEqual([null, 1, 2, null, 4, 5]);
  });

  test.each([
    ['another shape', () => foreign(zeros([3, 2], { ...sim, dtype: 'bool' }))],
    ['more axes', () => foreign(zeros([1, 2, 3], { ...sim, dtype: 'bool' }))],
    ['text', () => foreign(zeros([2, 3], { ...sim, dtype: 'bytes4' }))],
    ['a mask', () => foreign(data, { mask: foreign(valid) })],
    ['no interface', () => ({})],
    ['a broken interface', () => foreign(valid, { typestr: '<b3' })],
    ['a number', () => 7]
  ])('rule 50: a mask that is or has %s is refused, and the key is named', (_, make) => {
    expect(() => asCudaArray(foreign(data, { mask: make() }))).toThrow(refusal('ERR_DESCRIPTOR', 'mask'));
  });

  test("rule 51: the mask's own version and device are respected", () => {
    const old = foreign(valid, { version: 0, mask: 'not a thing of version 0' });
    using b = asCudaArray(foreign(data, { mask: old }));
    expect(b.toNested()).toEqual(expected);
    const elsewhere = foreign(zeros([2, 3], { ...rec, dtype: 'bool' }));
    expect(() => asCudaArray(foreign(data, { mask: elsewhere }))).toThrow(refusal('ERR_DESCRIPTOR', 'mask'));
  });

  test("rule 51: the mask's own stream is waited for before the mask is used", () => {
    using own = new Stream(rec);
    using made = new Stream(rec);
    const mask = zeros([2, 3], { stream: made, dtype: 'bool' });
    const source = foreign(zeros([2, 3], rec), { mask: { __cuda_array_interface__: descriptorOf(mask) } });
    using b = asCudaArray(source, { stream: own });
    const names = { own: own.handle, made: made.handle };
    expect(ordersDuring(names, () => b.mask?.toTypedArray()).slice(0, 2)).toEqual([
      'record made',
      'wait own'
    ]);
  });

  test('rules 50, 102: views, copies and read-only views each have their part of the mask', () => {
    using b = data.withMask(valid);
    const views: readonly [NDArray, unknown][] = [
      [
        b.T,
        [
          [0, 3],
          [null, 4],
          [2, null]
        ]
      ],
      [b.slice(1, '::-1'), [null, 4, 3]],
      [b.slice(0), [0, null, 2]],
      [
        b.reshape(3, 2),
        [
          [0, null],
          [2, 3],
          [4, null]
        ]
      ],
      [b.asReadOnly(), expected],
      [b.copy(), expected],
      [
        b.slice(0).broadcastTo([2, 3]),
        [
          [0, null, 2],
          [0, null, 2]
        ]
      ],
      [b.onStream(b.stream), expected],
      [asCudaArray(b), expected]
    ];
    for (const [view, values] of views) {
      expect(view.toNested()).toEqual(values);
      view.dispose();
      expect(view.mask?.freed).toBe(true);
    }
    expect(b.toNested()).toEqual(expected);
    expect(b.withMask(null).toNested()).toEqual(data.toNested());
  });

  test('rule 102: a mask lives and ends with its array, in scopes too', () => {
    const kept = scope(() => {
      const masked = asCudaArray(foreign(data, { mask: foreign(valid) }));
      return { view: masked.T, lost: masked };
    });
    expect(kept.view.T.toNested()).toEqual(expected);
    kept.view.dispose();
    expect(kept.view.mask?.freed).toBe(true);
    let left: NDArray | undefined;
    scope(() => void (left = data.withMask(valid)));
    expect([left?.freed, left?.mask?.freed]).toEqual([true, true]);
  });

  test('rule 52: an array imported with a mask is exported with it', () => {
    using b = asCudaArray(foreign(data, { mask: foreign(valid) }));
    const { mask, ...descriptor } = descriptorOf(b);
    expect(descriptor).toEqual({ ...descriptorOf(data), stream: null });
    expect(mask).toBeInstanceOf(NDArray);
    using again = fromCudaArrayInterface(descriptorOf(b), { owner: b });
    expect(again.toNested()).toEqual(expected);
    expect(descriptorOf(again.mask as NDArray).data[0]).toBe(valid.pointer);
  });

  test('rule 49: a mask cannot be exported by DLPack, and the error says so', () => {
    using b = data.withMask(valid);
    expect(() => b.__dlpack__()).toThrow(refusal('ERR_BUFFER'));
    expect(() => fromDlpack(b)).toThrow(refusal('ERR_BUFFER'));
    expect(dlpackCrossing(b)).toMatchObject({ possible: false });
    expect(dlpackCrossing(b.withMask(null)).possible).toBe(true);
  });

  test('rule 50: copying values without their validity is refused', () => {
    using b = data.withMask(valid);
    expect(() => zeros([2, 3], { ...sim, dtype: 'float32' }).copyFrom(b)).toThrow(refusal('ERR_VALUE'));
    using target = zeros([2, 3], { ...sim, dtype: 'float32' }).withMask(
      zeros([2, 3], { ...sim, dtype: 'bool' })
    );
    expect(target.copyFrom(b).toNested()).toEqual(expected);
    expect(target.copyFrom(data).toNested()).toEqual(data.toNested());
  });

  test('rules 50, 101: masks that share bytes, repeat them, or belong to a freed source are handled', () => {
    const shared = zeros([2, 3], { ...sim, dtype: 'bool' });
    const target = zeros([2, 3], { ...sim, dtype: 'float32' }).withMask(shared);
    expect(() => target.copyFrom(data.withMask(shared))).not.toThrow();
    const repeated = zeros([2, 3], { ...sim, dtype: 'float32' }).withMask(
      zeros(3, { ...sim, dtype: 'bool' })
    );
    expect(() => repeated.copyFrom(data)).toThrow(refusal('ERR_VALUE'));
    const freed = zeros([2, 3], { ...sim, dtype: 'float32' });
    freed.dispose();
    expect(() => target.copyFrom(freed)).toThrow(refusal('ERR_FREED'));
    expect(target.toNested()).toEqual([
      [null, null, null],
      [null, null, null]
    ]);
    const mask = zeros([2, 3], { ...sim, dtype: 'bool' });
    expect(() => freed.withMask(mask)).toThrow(refusal('ERR_FREED'));
    mask.dispose();
    expect(mask.freed).toBe(true);
  });

  test('rule 50: big-endian data keeps its mask when it is swapped', () => {
    const bytes = array(new Uint8Array([0, 1, 0, 2]), sim);
    const source = foreign(bytes, { shape: [2], typestr: '>i2', mask: foreign(array([true, false], sim)) });
    using b = asCudaArray(source, { byteOrder: 'swap' });
    expect(b.toNested()).toEqual([1, null]);
  });

  test('a mask on another device, or with its own mask, is refused by withMask', () => {
    expect(() => data.withMask(zeros([2, 3], rec))).toThrow(refusal('ERR_DEVICE'));
    expect(() => data.withMask(data.withMask(valid))).toThrow(refusal('ERR_VALUE'));
    expect(() => data.withMask(zeros(4, sim))).toThrow(refusal('ERR_SHAPE'));
  });
});

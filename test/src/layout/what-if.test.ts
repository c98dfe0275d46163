import { zeros } from '../../../src/index.ts';
import { indexOf, offsetOf, type Layout } from '../../../src/layout/byte-map.ts';
import { sizeOf, type Shape } from '../../../src/layout/shape.ts';
import { isRowMajor, rowMajorStrides } from '../../../src/layout/strides.ts';
import { applyStep, formatStep, parseStep, type StepKind } from '../../../src/layout/what-if.ts';

const base: Layout = { shape: [3, 4], strides: [16, 4], offset: 64, itemsize: 4 };
const after = (layout: Layout, kind: StepKind, text: string): Layout =>
  applyStep(layout, parseStep(kind, text));

describe('input of a person', () => {
  test.each([
    ['transpose', '', '.transpose()'],
    ['transpose', '1, 0', '.transpose(1, 0)'],
    ['slice', ':, ::-2', '.slice(null, "::-2")'],
    ['slice', '1, 0:2', '.slice(1, "0:2")'],
    ['slice', '', '.slice()'],
    ['reshape', '(2, -1)', '.reshape(2, -1)'],
    ['reshape', '(12,)', '.reshape(12)'],
    ['broadcastTo', '[2, 3, 4]', '.broadcastTo([2, 3, 4])']
  ] as const)('%s %p is %s', (kind, text, source) => {
    expect(formatStep(parseStep(kind, text))).toBe(source);
  });

  test.each([
    ['transpose', 'x', "'x' is not a whole number"],
    ['transpose', '0, 0', 'expected each of the'],
    ['slice', '1:2:0', 'step is 0, expected a nonzero integer'],
    ['slice', ':, :, :', '3 indices'],
    ['slice', '7', 'out of range'],
    ['slice', 'a:b', "expected 'start:stop'"],
    ['reshape', '5, -1', 'cannot reshape (3, 4) to (5, -1): expected 12 elements'],
    ['reshape', '-1, -1', 'cannot reshape'],
    ['reshape', '-3, -4', 'cannot reshape'],
    ['reshape', '5', '12 elements'],
    ['broadcastTo', '3', 'does not broadcast']
  ] as const)('%s %p is refused with the reason', (kind, text, reason) => {
    expect(() => after(base, kind, text)).toThrow(reason);
  });
});

test("a chain has the result of the array's own methods", () => {
  const array = zeros([4, 6], { device: 'sim:0' });
  let layout: Layout = { shape: array.shape, strides: array.strides, offset: array.offset, itemsize: 4 };
  for (const [kind, text] of [
    ['slice', '1:, ::-2'],
    ['transpose', ''],
    ['broadcastTo', '2, 3, 3'],
    ['slice', ':, 1']
  ] as const)
    layout = after(layout, kind, text);
  const view = array.slice('1:', '::-2').transpose().broadcastTo([2, 3, 3]).slice(null, 1);
  expect(layout).toEqual({ shape: view.shape, strides: view.strides, offset: view.offset, itemsize: 4 });
});

test('a reshape that needs a copy reports which axes, and why', () => {
  const transposed = after(base, 'transpose', '');
  expect(() => after(transposed, 'reshape', '12')).toThrow(
    'cannot reshape (4, 3) to (12,) without a copy: axes 0 and 1 cannot be merged, because the stride of axis 0 is 4, not 3 * 16; ' +
      'use copy() first'
  );
});

describe('reshape without a copy agrees with a search over all strides', () => {
  /** The only strides that keep the order of elements, found from the elements themselves; null if there are none. */
  function oracle(layout: Layout, target: Shape): number[] | null {
    const at = (ordinal: number): number => offsetOf(layout, indexOf(layout.shape, ordinal));
    const ordinals = rowMajorStrides(target, 1);
    const strides = target.map((length, axis) => (length > 1 ? at(ordinals[axis] as number) - at(0) : 0));
    for (let ordinal = 0; ordinal < sizeOf(target); ordinal++) {
      const byte = indexOf(target, ordinal).reduce(
        (sum, i, axis) => sum + i * (strides[axis] as number),
        at(0)
      );
      if (byte !== at(ordinal)) return null;
    }
    return strides;
  }

  const SHAPES: readonly Shape[] = [
    [12],
    [3, 4],
    [4, 3],
    [2, 6],
    [6, 2],
    [2, 2, 3],
    [3, 2, 2],
    [1, 12],
    [2, 1, 6],
    [2, 3, 2]
  ];
  const layouts = SHAPES.flatMap(shape => {
    const compact = rowMajorStrides(shape, 4);
    return [
      compact,
      compact.map(stride => -stride),
      compact.map((stride, axis) => (axis === 0 ? 2 * stride : stride)),
      compact.map((stride, axis) => (axis === shape.length - 1 ? 2 * stride : stride)),
      compact.map(stride => 3 * stride),
      compact.map((stride, axis) => (axis === 0 ? 0 : stride)),
      compact.map(() => 0),
      [...compact].reverse()
    ].map(strides => ({ shape, strides, offset: 400, itemsize: 4 }));
  });

  test.each(SHAPES.map(target => [target.join('x'), target] as const))('to %s', (_name, target) => {
    for (const layout of layouts) {
      const expected = oracle(layout, target);
      const label = JSON.stringify({ layout, target });
      let strides: readonly number[] | null;
      try {
        strides = after(layout, 'reshape', target.join(', ')).strides;
      } catch {
        strides = null;
      }
      const telling = strides && strides.map((stride, axis) => ((target[axis] as number) > 1 ? stride : 0));
      expect([label, telling]).toEqual([label, expected]);
    }
  });

  test('an empty array accepts any shape without elements', () => {
    const { shape, strides } = after({ ...base, shape: [0, 4] }, 'reshape', '2, 0, 5');
    expect([shape, isRowMajor(shape, strides, 4)]).toEqual([[2, 0, 5], true]);
  });
});

/** Tensors of hand-written producers in Python: valid ones are imported, invalid ones rejected, and each deleter runs once. */

import {
  BufferError,
  fromDlpack,
  CopyRequiredError,
  python,
  PythonError,
  ReadOnlyError,
  type AsArrayOptions,
  type NDArray,
  type PyObject
} from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { thrown } from './asking.ts';
import { describeWith, obstacle, pythonOfTests, sourceOf } from './environment.ts';

if (obstacle === null) {
  python.start({ python: pythonOfTests });
  python.run('import sys\nunraisable = []\nsys.unraisablehook = unraisable.append');
  python.run(sourceOf('producers.py'), 'producers.py');
}

function arrayOf(expression: string, options?: AsArrayOptions): NDArray {
  return python.asArray(
    python.evaluate(expression) as object as Parameters<typeof python.asArray>[0],
    options
  );
}

const evaluate = (expression: string): unknown => python.toJS(python.evaluate(expression));
/** Live tensors, and deleters that ran. A second call of one is a KeyError, which is reported in `unraisable`. */
function counts(): unknown {
  native().drainReleases(true);
  return evaluate('[len(alive), len(deleted), len(unraisable)]');
}

describeWith([], 'a DLPack producer in Python', () => {
  beforeEach(() => python.run('alive.clear(); deleted.clear()'));

  test.each([
    ['versioned', ''],
    ['unversioned (rule 107)', 'version=None'],
    ['of a newer minor version (rule 109)', 'version=(1, 99)'],
    ['with strides NULL (rule 117)', 'strides=None'],
    ['with byte_offset (rule 113)', 'byte_offset=24']
  ])('%s is an array over its memory until it is disposed', (_, fields) => {
    const array = arrayOf(`Producer(${fields})`);
    expect([array.dtype.name, array.toNested()]).toEqual([
      'float64',
      [
        [1, 2, 3],
        [4, 5, 6]
      ]
    ]);
    expect(counts()).toEqual([1, 0, 0]);
    array.dispose();
    expect(counts()).toEqual([0, 1, 0]);
    array.dispose();
    expect(counts()).toEqual([0, 1, 0]);
  });

  test('with negative strides starts where its data says (rules 23, 116)', () => {
    using array = arrayOf('Producer(strides=(-3, -1), first=5)');
    expect(array.toNested()).toEqual([
      [6, 5, 4],
      [3, 2, 1]
    ]);
  });

  test('of no axes has one element, with shape and strides NULL (rule 115)', () => {
    using array = arrayOf('Producer(shape=(), null_shape=True)');
    expect([array.shape, array.toNested()]).toEqual([[], 1]);
  });

  test('without elements may have no data (rule 111)', () => {
    using array = arrayOf('Producer(shape=(0, 3), null_data=True)');
    expect([array.shape, array.toNested()]).toEqual([[0, 3], []]);
  });

  test('that is read-only gives a read-only array, and no write passes (rule 138)', () => {
    using array = arrayOf('Producer(flags=1)');
    expect(array.readOnly).toBe(true);
    expect(() => array.fill(0)).toThrow(ReadOnlyError);
  });

  test('without a deleter is not kept alive or deleted (rule 169)', () => {
    arrayOf('Producer(null_deleter=True)').dispose();
    expect(counts()).toEqual([1, 0, 0]);
  });

  test.each([
    [
      'a version of before 1.0 in the struct of 1.0 (rule 108)',
      'version=(0, 8)',
      /version 0\.8.*unversioned struct/
    ],
    ['another major version (rule 108)', 'version=(2, 0), ndim=10**9, null_shape=True', /version 2\.0/],
    ['too many axes (rule 124)', 'ndim=65', /65 axes/],
    ['less than no axes (rule 124)', 'ndim=-1', /-1 axes/],
    ['a shape that is NULL (rule 115)', 'null_shape=True', /shape is NULL/],
    ['a negative dimension', 'shape=(-2, 3)', /dimension 0 is -2/],
    ['more elements than there is memory (rule 122)', 'shape=(2**40, 2**40)', /overflows|2\^53/],
    ['elements and no data (rule 57)', 'null_data=True', /data pointer is NULL/],
    ['a type that is not known (rule 131)', 'dtype=(99, 64, 1)', /code 99/],
    ['elements without bits', 'dtype=(2, 0, 1)', /has 0 bits/]
  ])('with %s is refused, and its deleter runs once (rule 168)', (_, fields, reason) => {
    const error = thrown(() => arrayOf(`Producer(${fields})`));
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toMatch(reason);
    expect(counts()).toEqual([0, 1, 0]);
  });

  test('is asked for the host if its memory is unreachable, which is a copy (rules 132, 147)', () => {
    python.run('metal = Producer(device=(8, 0))');
    using array = arrayOf('metal');
    expect(array.toNested()).toHaveLength(2);
    expect(evaluate('[call["dl_device"] for call in metal.calls]')).toEqual([[1, 0]]);
    expect(() => arrayOf('metal', { copy: false })).toThrow(CopyRequiredError);
  });

  test('from before 1.0 is called again without the new arguments (rule 145)', () => {
    python.run('old = OldProducer()');
    using array = arrayOf('old');
    using forwarded = arrayOf('Forwarding(OldProducer())');
    expect([array.shape, forwarded.shape]).toEqual([
      [2, 3],
      [2, 3]
    ]);
    expect(evaluate('old.calls')).toEqual([{ stream: null }]);
  });

  test('from before 1.0 on an unreachable device cannot be asked to copy (rule 147)', () => {
    expect(() => arrayOf('OldProducer(device=(8, 0))')).toThrow(BufferError);
  });

  test('is passed no stream for host memory, and the supported version (rules 143, 153)', () => {
    python.run('seen = Producer()');
    arrayOf('seen').dispose();
    expect(evaluate('seen.calls')).toEqual([
      { stream: null, max_version: [1, 3], dl_device: null, copy: null }
    ]);
  });

  test.each([
    ['TypeError("the tensor is of the wrong kind")', 'TypeError'],
    ['TypeError("takes no arguments of this kind")', 'TypeError'],
    ['BufferError("requires gradients")', 'BufferError'],
    ['RuntimeError("sparse")', 'RuntimeError'],
    ['AttributeError("inside")', 'AttributeError']
  ])('that raises %s is called once, and no other protocol is tried (rules 145, 158)', (exception, type) => {
    python.run(`raising = WithInterface(${exception})`);
    const error = thrown(() => arrayOf('raising'));
    expect(error).toBeInstanceOf(PythonError);
    expect((error as PythonError).type).toBe(type);
    expect(evaluate('len(raising.calls)')).toBe(1);
  });

  test.each([
    ['nothing', 'Returning(None)', /did not return a capsule/],
    ['a capsule of another kind (rule 164)', 'Returning(make_capsule(name="dltensor_v9"))', /'dltensor_v9'/],
    [
      'a capsule that was used (rule 165)',
      'Returning(make_capsule(name="used_dltensor"))',
      /already consumed/
    ],
    ['a device of one number (rule 141)', 'Producer(device=(1,))', /__dlpack_device__/],
    ['a device that is none (rule 141)', 'Producer(device=(2**40, 0))', /outside 32 bits/]
  ])('that returns %s is refused', (_, expression, reason) => {
    const error = thrown(() => arrayOf(expression));
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toMatch(reason);
  });

  test('returns its capsule once: the second use is refused and deletes nothing (rule 165)', () => {
    python.run('capsule = make_capsule()');
    using first = arrayOf('capsule');
    expect(() => arrayOf('capsule')).toThrow(BufferError);
    expect(counts()).toEqual([1, 0, 0]);
    expect(first.shape).toEqual([2, 3]);
  });

  test('is copied if a requested copy was not made, and not twice if it was (rules 139, 150)', () => {
    python.run('plain = Producer()\ncopying = Producer(flags=2)');
    using copy = arrayOf('plain', { copy: true });
    expect(counts()).toEqual([0, 1, 0]);
    using once = arrayOf('copying', { copy: true });
    expect(counts()).toEqual([1, 1, 0]);
    expect([copy.shape, once.shape]).toEqual([
      [2, 3],
      [2, 3]
    ]);
    expect(evaluate('[plain.calls[0]["copy"], copying.calls[0]["copy"]]')).toEqual([true, true]);
  });

  test('that returns other memory each time has each kept alive by its own array', () => {
    python.run('fresh = Producer()');
    const object = python.evaluate('fresh') as Parameters<typeof python.asArray>[0];
    const arrays = Array.from({ length: 5 }, () => python.asArray(object));
    expect(counts()).toEqual([5, 0, 0]);
    arrays[2]?.dispose();
    expect(counts()).toEqual([4, 1, 0]);
    for (const array of arrays) array.dispose();
    expect(counts()).toEqual([0, 5, 0]);
  });
});

describeWith([], 'an exchange table', () => {
  test('is what fromDlpack uses too; without one it calls __dlpack__', () => {
    python.run(`
asked = []
class Asked(class_with(make_table())):
    def __dlpack__(self, **request):
        asked.append(request)
        return super().__dlpack__(**request)
class Without(Producer):
    def __dlpack__(self, **request):
        asked.append(request)
        return super().__dlpack__(**request)
`);
    const asked = (expression: string): unknown => {
      fromDlpack(python.evaluate(expression) as PyObject).dispose();
      return python.evaluate('len(asked)');
    };
    expect([asked('Asked()'), asked('Without()')]).toEqual([0, 1]);
    expect(() => fromDlpack(python.evaluate('object()') as PyObject)).toThrow(/lacks __dlpack__ and/);
  });

  beforeEach(() => python.run('alive.clear(); deleted.clear()'));

  test('is used before the methods, and its tensors are deleted once (rules 173, 175)', () => {
    python.run('made = class_with(make_table())(flags=1)');
    const array = arrayOf('made');
    expect([array.readOnly, array.shape, evaluate('made.calls')]).toEqual([true, [2, 3], []]);
    array.dispose();
    expect(counts()).toEqual([0, 1, 0]);
  });

  test('is skipped if the methods are requested', () => {
    python.run('made = class_with(make_table())()');
    arrayOf('made', { via: 'dlpack' }).dispose();
    expect(evaluate('len(made.calls)')).toBe(1);
  });

  test('of a newer major version links to an older one, or is ignored (rule 174)', () => {
    python.run(`
older = class_with(make_table(version=(2, 0), previous=make_table()))()
newest = class_with(make_table(version=(2, 0)))()
named = class_with(make_table(), name="another_api")()
`);
    for (const name of ['older', 'newest', 'named']) arrayOf(name).dispose();
    expect(evaluate('[len(one.calls) for one in (older, newest, named)]')).toEqual([0, 1, 1]);
  });

  test('that returns neither a tensor nor an error is not followed by the methods (rule 158)', () => {
    python.run('silent = class_with(make_table(from_object=lambda value, out: -1))()');
    expect(() => arrayOf('silent')).toThrow(BufferError);
    expect(evaluate('silent.calls')).toEqual([]);
  });

  test('shares one lease between arrays over the same memory of one object', () => {
    python.run(`
kept = make_managed()
def again(value, out):
    managed = alive[kept][0]
    address = make_managed()
    alive[address][0].tensor.data = managed.tensor.data
    out[0] = address
    return 0
sharing = class_with(make_table(from_object=again))()
`);
    const object = python.evaluate('sharing') as Parameters<typeof python.asArray>[0];
    const arrays = Array.from({ length: 10 }, () => python.asArray(object));
    expect(counts()).toEqual([2, 9, 0]);
    for (const array of arrays) array.dispose();
    expect(counts()).toEqual([1, 10, 0]);
  });
});

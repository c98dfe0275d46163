import { ARRAY_MIME_TYPE } from '../../../src/pictures/kit/live-messages.ts';
import { descriptorRows } from '../../../src/pictures/array/rows.ts';
import { describeFreed } from '../../../src/pictures/array/describe.ts';
import { renderArrayBundle, renderHtml, renderText } from '../../../src/pictures/array/render.ts';
import { toDevice } from '../../../src/core/device.ts';
import { native } from '../../../src/native/load.ts';
import { DefaultCUDAMemoryManager, usingMemoryManager } from '../../../src/memory/index.ts';
import {
  arange,
  describeArray,
  empty,
  fromCudaArrayInterface,
  NDArray,
  recordDType,
  Stream,
  zeros
} from '../../../src/index.ts';

const sim = { device: 'sim:0' } as const;

function rowOf(array: NDArray, key: string) {
  const row = descriptorRows(array).find(candidate => candidate.key === key);
  if (row === undefined) throw new Error(`no row ${key}`);
  return row;
}

describe('descriptor rows', () => {
  test('match the exported descriptor, key by key', () => {
    using stream = new Stream(sim);
    const a = arange(12, { dtype: 'float32', stream }).reshape(3, 4).slice(null, '::-2');
    const { shape, typestr, data, version, strides, stream: handle } = a.__cuda_array_interface__;
    expect(rowOf(a, 'shape').value).toBe(`(${shape.join(', ')})`);
    expect(rowOf(a, 'typestr').value).toBe(typestr);
    expect(rowOf(a, 'data').value).toBe(`(0x${data[0].toString(16)}, False)`);
    expect(rowOf(a, 'version').value).toBe(String(version));
    expect(rowOf(a, 'strides').value).toBe(`(${strides?.join(', ')})`);
    expect(rowOf(a, 'stream').value).toBe(`0x${handle?.toString(16)}`);
  });

  test('the interface is first, in the order of its document, then derived rows', () => {
    const keys = descriptorRows(zeros(2, sim)).map(row => [row.key, row.derived]);
    expect(keys).toEqual([
      ...['shape', 'typestr', 'data', 'version', 'strides', 'descr', 'mask', 'stream', 'event'].map(key => [
        key,
        false
      ]),
      ...['itemsize', 'nbytes', 'contiguous', 'alignment', 'extent', 'device'].map(key => [key, true])
    ]);
  });

  test('verdicts depend on the array: a note for a simulated pointer and for overlap', () => {
    expect(rowOf(zeros(2, sim), 'data').verdict).toBe('note');
    const a = zeros([3, 4], sim);
    const broadcast = new NDArray(
      a.storage.retain(),
      a.dtype,
      { shape: [3, 4], strides: [0, 8], offset: 0 },
      a.stream
    );
    expect(rowOf(broadcast, 'strides').verdict).toBe('note');
    expect(rowOf(broadcast, 'data').value).toContain('True');
    expect(broadcast.__cuda_array_interface__).toMatchObject({ strides: [0, 8], data: [a.pointer, true] });
  });

  test('a misaligned view or one outside its block is a violation, with its rule', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager); // whose allocations are the driver's, one for one
    const a = zeros(64, { ...sim, dtype: 'float64' });
    const view = (strides: number[], offset: number) =>
      new NDArray(a.storage.retain(), a.dtype, { shape: [64], strides, offset }, a.stream);
    expect(rowOf(view([8], 4), 'alignment')).toMatchObject({ verdict: 'violation', value: '4 B' });
    expect(rowOf(view([16], 0), 'extent')).toMatchObject({ verdict: 'violation' });
    expect(rowOf(view([16], 0), 'extent').rule).toContain('rule 25');
  });

  test('masks, records and types without a typestr are explained', () => {
    const masked = zeros([2, 3], sim).withMask(zeros([1, 3], { ...sim, dtype: 'bool' }));
    expect(rowOf(masked, 'mask')).toMatchObject({ value: 'bool (2, 3)', verdict: 'ok' });
    expect(rowOf(zeros(2, sim), 'mask').value).toBe('absent');
    const dtype = recordDType([
      ['x', '<f4'],
      ['n', '<i4']
    ]);
    const record = rowOf(zeros(2, { ...sim, dtype }), 'descr');
    expect(record.value).toBe('2 fields');
    expect(record.meaning).toContain('n: int32 at 4');
    expect(rowOf(zeros(2, { ...sim, dtype: 'bfloat16' }), 'typestr').value).toBe('absent');
    expect(describeArray(masked, { preview: true }).preview?.rows).toEqual([
      ['--', '--', '--'],
      ['--', '--', '--']
    ]);
  });

  test('empty and unused arrays', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager); // whose allocations are the driver's, one for one
    expect(rowOf(zeros([0, 3], sim), 'data').value).toBe('(0x0, False)');
    expect(rowOf(zeros([0, 3], sim), 'extent').value).toBe('empty');
    expect(rowOf(empty(3, sim), 'stream')).toMatchObject({ value: 'None', verdict: 'ok' });
  });
});

describe('describeArray', () => {
  test('is plain JSON', () => {
    const description = describeArray(arange(5n, sim), { preview: true });
    expect(JSON.parse(JSON.stringify(description))).toEqual(description);
  });

  test('names each stream once, with its state and whether it would be exported', () => {
    using first = new Stream(sim);
    using second = new Stream(sim);
    const a = zeros(2 ** 20, { stream: first });
    first.synchronize();
    a.fill(1, { stream: second });
    const streams = describeArray(a).streams;
    const of = (stream: Stream) => streams.find(use => use.id === stream.id);
    expect(new Set(streams.map(use => use.id)).size).toBe(streams.length);
    expect(of(second)).toMatchObject({ state: 'busy', access: 'write', exported: true });
    expect(of(first)).toMatchObject({ state: 'idle', access: 'write', exported: false });
    expect(streams.filter(use => use.exported)).toHaveLength(1);
    second.synchronize();
    expect(describeArray(a).streams.find(use => use.id === second.id)).toMatchObject({ state: 'idle' });
  });

  test('copies values only if nothing is pending, unless requested', () => {
    using stream = new Stream(sim);
    const a = arange(2 ** 20, { stream });
    expect(describeArray(a).preview).toBeNull();
    expect(describeArray(a, { preview: false }).preview).toBeNull();
    const { preview } = describeArray(a, { preview: true });
    expect(preview).toMatchObject({ truncated: true, copiedBytes: 64, stream: stream.toString() });
    expect(preview?.rows).toEqual([['0', '1', '2', '3', '4', '5', '6', '7']]);
  });

  test('inspecting an array does not count as use', () => {
    const a = arange(6, sim).reshape(2, 3);
    let uses = 0;
    a.onUse(() => uses++);
    describeArray(a, { preview: true });
    expect(uses).toBe(0);
  });

  test('under the hazard schedule no stream is queried: a query would let held work run', () => {
    using stream = new Stream(sim);
    using other = new Stream(sim);
    const a = zeros(4, { stream });
    stream.synchronize();
    native().simulated.setSchedule('hazard');
    try {
      a.fill(7);
      for (let look = 0; look < 50; look++)
        expect(describeArray(a).streams.find(use => use.id === stream.id)?.state).toBe('busy');
      using view = fromCudaArrayInterface({ ...a.__cuda_array_interface__, stream: null }, { stream: other });
      expect([...view.toTypedArray()]).toEqual([0, 0, 0, 0]);
    } finally {
      native().simulated.setSchedule('eager');
    }
  });

  test('rule 88: an array of a lost device is described, without its values', () => {
    const device = toDevice('rec:0');
    const a = zeros(8, { stream: new Stream({ device }) });
    native().recording.fail('*', 719, -1);
    try {
      for (const preview of [undefined, true, false]) {
        const description = describeArray(a, { preview });
        expect(description).toMatchObject({
          lifetime: 'lost',
          shape: [8],
          preview: null,
          statistics: { state: 'missing', measurable: false }
        });
        expect(description.streams.map(({ state }) => state)).toEqual(['lost']);
        expect(description.descriptor.map(({ key }) => key)).toContain('shape');
      }
      const bundle = renderArrayBundle(a);
      expect(Object.keys(bundle)).toEqual([ARRAY_MIME_TYPE, 'text/html', 'text/plain']);
      expect(bundle['text/plain']).toMatch(/^float64 \(8,\) on rec:0 .*\nlost: .*CUDA_ERROR_LAUNCH_FAILED/);
      expect(bundle['text/html']).toContain('<b>✗ lost:</b>');
      expect(bundle['text/html']).not.toContain('busy');
    } finally {
      native().recording.reset();
    }
  });

  test('rule 88: a device found lost by the inspection is described like one that was lost before', () => {
    const device = toDevice('rec:0');
    const a = zeros(8, { stream: new Stream({ device }) });
    native().recording.fail('cuMemcpyDtoHAsync', 719, 1);
    try {
      expect(describeArray(a, { preview: true })).toMatchObject({ lifetime: 'lost', preview: null });
    } finally {
      native().recording.reset();
    }
  });

  test('previews the first rows of the last two axes', () => {
    const { preview } = describeArray(arange(2 * 7 * 9, sim).reshape(2, 7, 9), { preview: true });
    expect(preview?.rows).toHaveLength(6);
    expect(preview?.rows[1]).toEqual(['9', '10', '11', '12', '13', '14', '15', '16']);
    expect(describeArray(zeros([], sim), { preview: true }).preview?.rows).toEqual([['0']]);
    expect(describeArray(zeros(0, sim), { preview: true }).preview?.rows).toEqual([]);
  });

  test('a freed array is described as freed', () => {
    const a = zeros(3, sim);
    a.dispose();
    expect(describeArray(a)).toMatchObject({
      lifetime: 'freed',
      shape: [3],
      descriptor: [],
      streams: [],
      preview: null
    });
    expect(renderText(describeArray(a))).toContain('freed');
    const b = zeros(3, sim);
    const last = describeArray(b, { preview: true });
    b.dispose();
    expect(describeFreed(describeArray(b))).toEqual({ ...describeArray(b), collected: false });
    expect(describeFreed(last)).toEqual({ ...describeArray(b), collected: true });
    expect(describeFreed(describeFreed(last)).collected).toBe(true);
  });
});

describe('HTML', () => {
  test('stays under 10 KB and uses nothing that a sanitizer removes', () => {
    const html = renderHtml(describeArray(arange(2 ** 12, sim).reshape(64, 64).T, { preview: true }));
    expect(Buffer.byteLength(html)).toBeLessThan(10_000);
    expect(html).not.toMatch(/<(script|style|svg|iframe)|\son\w+=|javascript:/i);
    expect(html).toContain('sim:0 (simulated)');
  });

  test('stays under 10 KB in bytes if names have characters of three bytes', () => {
    const dtype = recordDType(Array.from({ length: 60 }, (_, at) => [`${'測'.repeat(40)}${at}`, '<f4']));
    const html = renderHtml(describeArray(zeros([6, 8], { ...sim, dtype }), { preview: true }));
    expect(Buffer.byteLength(html)).toBeLessThan(10_000);
  });

  test('texts are not cut inside a character: half a surrogate pair is not valid UTF-8', () => {
    const dtype = recordDType([['x'.concat('😀'.repeat(1200)), '<f4']]);
    const description = describeArray(zeros(2, { ...sim, dtype }), { preview: true });
    for (const text of [JSON.stringify(description), renderHtml(description), renderText(description)])
      expect(text.isWellFormed() && !/\\ud[89a-f]/i.test(text)).toBe(true);
  });
});

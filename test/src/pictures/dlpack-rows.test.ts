import { capsuleRows, streamArgumentRows, tensorRows } from '../../../src/pictures/array/dlpack-rows.ts';
import type { DescriptorRow } from '../../../src/pictures/array/schema.ts';
import { arange, describeArray, NDArray, recordDType, zeros } from '../../../src/index.ts';
import { addon } from '../conformance/dlpack-support.ts';

const sim = { device: 'sim:0' } as const;
const VERSIONED = { maxVersion: [1, 3] } as const;

const valuesOf = (rows: readonly DescriptorRow[]): Record<string, string> =>
  Object.fromEntries(rows.map(({ key, value }) => [key, value]));
const tuple = (numbers: readonly number[] | null): string =>
  numbers?.length === 1 ? `(${numbers[0]},)` : `(${(numbers ?? []).join(', ')})`;

describe('the tensor', () => {
  const base = arange(24, { ...sim, dtype: 'float32' }).reshape(4, 6);
  const arrays: readonly (readonly [string, NDArray])[] = [
    ['contiguous', base],
    ['rules 116, 118: backwards and with gaps', base.slice('::-1', '1::2')],
    ['rule 30: repeated, so read-only', base.slice(0).broadcastTo([3, 6])],
    ['rule 137: read-only', base.asReadOnly()],
    ['rule 111: empty', zeros([0, 3], sim)],
    ['rule 115: no axes', zeros([], sim)],
    ['rules 127, 128: a small float in a byte of its own', zeros(4, { ...sim, dtype: 'float4_e2m1fn' })],
    ['rule 123: lanes', zeros(4, { ...sim, dtype: 'float32_x4' })],
    ['rule 125: complex', zeros(2, { ...sim, dtype: 'complex64' })]
  ];

  test.each(arrays)('%s: the rows match the struct of an export', (_name, array) => {
    const rows = valuesOf(tensorRows(array));
    const struct = addon.consume(array.__dlpack__(VERSIONED));
    addon.release();
    expect(rows).toEqual({
      capsule: 'dltensor_versioned',
      version: struct.version?.join('.'),
      manager_ctx: 'set',
      flags: String(struct.flags),
      data: `0x${struct.data.toString(16)}`,
      device: tuple(struct.device),
      ndim: String(struct.ndim),
      dtype: tuple(struct.dtype),
      shape: tuple(struct.shape),
      strides: tuple(struct.strides),
      byte_offset: String(struct.byteOffset)
    });
  });

  test('rules 49, 120, 131: an array that cannot be exported is a violation, and an export throws', () => {
    const bytes = zeros(64, { ...sim, dtype: 'uint8' });
    const odd = new NDArray(
      bytes.storage.retain(),
      base.dtype,
      { shape: [3], strides: [6], offset: 0 },
      bytes.stream
    );
    const record = zeros(2, { ...sim, dtype: recordDType([['x', '<f4']]) });
    const masked = base.withMask(zeros([4, 6], { ...sim, dtype: 'bool' }));
    for (const [array, key] of [
      [odd, 'strides'],
      [record, 'dtype'],
      [masked, 'capsule']
    ] as const) {
      const rows = tensorRows(array);
      expect(rows.find(row => row.key === key)).toMatchObject({ value: 'none', verdict: 'violation' });
      expect(rows.find(row => row.key === 'capsule')?.verdict).toBe('violation');
      expect(() => array.__dlpack__(VERSIONED)).toThrow();
    }
  });
});

test('rules 151 to 155: the stream arguments are accepted and refused as by an export', () => {
  const array = zeros(3, sim);
  const rows = streamArgumentRows(array);
  expect(rows.map(({ key }) => key)).toEqual(['None', '-1', '0', '1', '2', 'a handle']);
  for (const { key, value, meaning } of rows) {
    const stream = key === 'None' ? null : key === 'a handle' ? 4096n : Number(key);
    if (value === 'accepted') array.__dlpack__({ ...VERSIONED, stream }).dispose();
    else {
      expect([value, meaning]).toEqual(['rejected here', expect.stringContaining('On CUDA: ')]);
      expect(() => array.__dlpack__({ ...VERSIONED, stream })).toThrow();
    }
  }
});

test('rules 151, 154, 155: on CUDA only 0 is refused', () => {
  const array = zeros(3, { device: 'rec:0' });
  const rows = streamArgumentRows(array);
  expect(rows.map(({ key, value }) => [key, value])).toEqual([
    ['None', 'as 1'],
    ['-1', 'no wait'],
    ['0', 'rejected'],
    ['1', 'waits'],
    ['2', 'waits'],
    ['a handle', 'waits']
  ]);
  expect(() => array.__dlpack__({ ...VERSIONED, stream: 0 })).toThrow('rule 151');
  for (const stream of [null, -1, 1, 2]) array.__dlpack__({ ...VERSIONED, stream }).dispose();
  expect(valuesOf(tensorRows(array))['device']).toBe('(2, 0)');
});

test('every state of a capsule has its words and its rule', () => {
  const at = Date.UTC(2026, 0, 2, 3, 4, 5);
  const reports = [
    { id: 1, name: 'dltensor', state: 'exported', at, copied: false, way: 'javascript', asker: '' },
    { id: 2, name: 'used_dltensor', state: 'consumed', at, copied: true, way: 'python', asker: 'torch' },
    { id: 3, name: 'dltensor_versioned', state: 'deleted', at, copied: false, way: 'python-table', asker: '' }
  ] as const;
  const rows = capsuleRows({ reports, others: 0 });
  expect(rows.map(({ key, value, verdict }) => [key, value, verdict])).toEqual([
    ['1 dltensor', 'exported, created 03:04:05 UTC', 'note'],
    ['2 used_dltensor', 'consumed, created 03:04:05 UTC', 'note'],
    ['3 dltensor_versioned', 'deleted, created 03:04:05 UTC', 'ok']
  ]);
  expect(rows[0]?.meaning).toMatch(/^Not consumed yet/);
  expect(rows[1]?.meaning).toMatch(/^Requested by Python, in module torch\. Exports a copy/);
  expect(rows[2]?.meaning).toMatch(/^Exported to native code through Python's exchange table\. /);
  const [earlier] = capsuleRows({ reports, others: 12 });
  expect([earlier?.key, earlier?.value, earlier?.verdict]).toEqual(['earlier', '12 outstanding', 'note']);
  for (const { rule } of rows) expect(rule).toMatch(/rules? \d/);
});

test('a saved picture stays small', () => {
  expect(JSON.stringify(describeArray(arange(6, sim), { preview: true })).length).toBeLessThan(16_000);
});

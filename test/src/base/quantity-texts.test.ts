/** The format of sizes, times and counts in pictures, static texts and messages. */

import { formatBytes } from '../../../src/base/bytes-text.ts';
import { formatCounted } from '../../../src/base/count-text.ts';
import { formatDuration } from '../../../src/base/time-text.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [4096, '4 KiB'],
  [4097, '4097 B'],
  [10_239, '10239 B'],
  [10_240, '10 KiB'],
  [10_300, '10.1 KiB'],
  [200_192, '195.5 KiB'],
  [3 * 2 ** 20, '3 MiB'],
  [1.5 * 2 ** 30, '1.5 GiB'],
  [2 ** 53, '8192 TiB']
])('%p bytes are %p: exact up to 10 KiB', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0 ns'],
  [0.25, '250 ns'],
  [0.00001, '0.01 ns'],
  [4, '4 µs'],
  [812.44, '812.4 µs'],
  [2592.05, '2.592 ms'],
  [3_000_000, '3 s'],
  [59_990_000, '59.99 s'],
  [60_000_000, '1 min 0 s'],
  [725_900_000, '12 min 5 s'],
  [-2500, '-2.5 ms']
])('%p microseconds are %p', (time, text) => {
  expect(formatDuration(time)).toBe(text);
});

test('a noun is plural except for one', () => {
  expect([0, 1, 2].map(count => formatCounted(count, 'array'))).toEqual(['0 arrays', '1 array', '2 arrays']);
  expect([1, 2].map(count => formatCounted(count, 'axis', 'axes'))).toEqual(['1 axis', '2 axes']);
});

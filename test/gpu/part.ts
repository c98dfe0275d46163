/** `test` for files named `*.parts.test.ts`, which several processes run: `STRIDELAB_TEST_SHARD=2/8` is the second of eight. */

import { test as define, type TestFn, type TestOptions } from 'node:test';

const [own = 1, parts = 1] = (process.env['STRIDELAB_TEST_SHARD'] ?? '1/1').split('/').map(Number);
let defined = 0;

/** Defines a test if it belongs to this process. */
export function test(name: string, ...[first, second]: [TestFn] | [TestOptions, TestFn]): void {
  // Diagonally, so that the expensive tests of a loop over types do not all belong to one process.
  const belongs = (defined + Math.floor(defined / parts)) % parts === own - 1;
  defined++;
  if (!belongs) return;
  if (second === undefined) void define(name, first as TestFn);
  else void define(name, first as TestOptions, second);
}

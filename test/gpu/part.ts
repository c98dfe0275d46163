/** The share of a process in the tests of a `*.parts.test.ts`: `STRIDELAB_TEST_SHARD=2/8` is the second of eight. */

const [own = 1, parts = 1] = (process.env['STRIDELAB_TEST_SHARD'] ?? '1/1').split('/').map(Number);

/** Those of a file's tests that this process runs. */
export function ofThisPart<T>(all: readonly T[]): T[] {
  return all.filter((_, index) => index % parts === own - 1);
}

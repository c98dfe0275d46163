/** What the conformance suite looks at: the public library, and the parser that reads a descriptor back. */

export * from '../../../src/index.ts';
export { toDType } from '../../../src/dtype/dtype.ts';

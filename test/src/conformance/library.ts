/** The subject of the conformance suite: the public library, and the parser that reads a descriptor back. */

export * from '../../setup/whole-library.ts';

export { dtypeFromDlpack } from '../../../src/dtype/dlpack.ts';
export { parseTypestr } from '../../../src/dtype/resolve.ts';

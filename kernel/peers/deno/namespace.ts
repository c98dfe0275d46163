/** The members of `Deno`. */

export * from './command.ts';
export * as errors from './errors.ts';
export * from './files.ts';
export * from './folders.ts';
export * from './inspect.ts';
export * as jupyter from '../../../src/notebook/jupyter.ts';
export * from './open-file.ts';
export * from './process.ts';
export * from './test.ts';

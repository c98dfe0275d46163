/** Re-exports every module of the library that plain programs import, for programs that tests write. */

export * from '../../src/collectives/index.ts';
export * from '../../src/index.ts';
export * from '../../src/memory/index.ts';
export * from '../../src/sharing/index.ts';

/** Node rooms run as ES modules on the TypeScript sources; the page's room runs in jsdom. */
const shared = {
  // scripts/sanitize.mjs has the suite run on an addon of its own.
  ...(process.env.STRIDELAB_TEST_ADDON && {
    moduleNameMapper: { '^#native$': process.env.STRIDELAB_TEST_ADDON }
  }),
  transform: { '^.+\\.ts$': '<rootDir>/test/setup/oxc-transformer.cjs' },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: [
    '<rootDir>/labextension/package.json',
    '<rootDir>/dist/',
    '<rootDir>/build/',
    '<rootDir>/.venv/',
    '<rootDir>/.venv-exchange/',
    '<rootDir>/.gpu/'
  ]
};
const room = (name, more = {}) => ({
  ...shared,
  displayName: name,
  testEnvironment: 'node',
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...more
});
export default {
  cacheDirectory: '<rootDir>/build/cache/jest',
  // Real kernels and servers on a machine that does other things too.
  testTimeout: 20_000,
  // One more than jest takes by itself, which on two cores is one: files wait for servers, kernels and browsers.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/test/setup/slow-rooms-first.cjs',
  // A process for each file (0 is always): the core's trace, pool and registry are the process's, not the module's,
  // and what is collected of one file would be recorded in the next. Small heaps are quick to collect, too.
  workerIdleMemoryLimit: 0,
  projects: [
    room('native'),
    room('src'),
    room('kernel'),
    room('labextension', {
      testEnvironment: 'jsdom',
      transform: {
        ...shared.transform,
        '^.+\\.js$': '<rootDir>/test/labextension/setup/commonjs-transformer.cjs'
      },
      transformIgnorePatterns: [],
      moduleNameMapper: { '^stridelab-.*-style$': '<rootDir>/test/labextension/setup/no-style.ts' },
      setupFiles: ['<rootDir>/test/labextension/setup/browser-gaps.ts']
    }),
    room('scripts'),
    room('python'),
    room('notebooks')
  ]
};

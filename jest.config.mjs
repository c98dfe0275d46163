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
  // Real kernels and servers on a machine that does other things too.
  testTimeout: 20_000,
  // Tests that wait for the collector take as long as the heap is large; files run in a process that is made anew in time.
  workerIdleMemoryLimit: '350MB',
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
    room('python'),
    room('notebooks')
  ]
};

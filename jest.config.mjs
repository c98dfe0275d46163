import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** Tests run as ES modules on the TypeScript sources, in Node; tests of the page run in jsdom. */
const shared = {
  // scripts/sanitize.mjs runs the suite with an instrumented addon.
  ...(process.env.STRIDELAB_TEST_ADDON && {
    moduleNameMapper: { '^#native$': process.env.STRIDELAB_TEST_ADDON }
  }),
  transform: { '^.+\\.ts$': '<rootDir>/test/setup/oxc-transformer.cjs' },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  // A project does not inherit these two. jest lists the files below the roots once for each project.
  cacheDirectory: '<rootDir>/build/cache/jest',
  roots: ['bench', 'kernel', 'labextension/src', 'scripts', 'src', 'test'].map(
    folder => `<rootDir>/${folder}`
  )
};
const room = (name, more = {}) => ({
  ...shared,
  displayName: name,
  testEnvironment: 'node',
  testMatch: [`<rootDir>/test/${name}/**/*.test.ts`],
  ...more
});
export default {
  // Tests start real kernels and servers, on machines that may be busy.
  testTimeout: 20_000,
  // One more worker than jest's default (one worker on two cores), because test files wait for servers, kernels and browsers.
  maxWorkers: '100%',
  testSequencer: '<rootDir>/test/setup/slow-rooms-first.cjs',
  // A separate process for each file: the core's trace, pool and registry belong to the process, so objects of one file that
  // are collected later would be recorded in the next. Small heaps are also collected faster.
  workerIdleMemoryLimit: 0,
  projects: [
    room('native'),
    room('src'),
    room('kernel'),
    room('labextension', {
      testEnvironment: 'jsdom',
      globals: { STRIDELAB_VERSION: version },
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
    room('notebooks'),
    // Run by npm run test:packages and npm run test:libraries; npm test leaves them out (LEFT_OUT in scripts/test/suite.mjs).
    room('packages'),
    room('frontends'),
    room('libraries')
  ]
};

/** Node rooms run as ES modules on the TypeScript sources; the page's room runs in jsdom. */
const shared = {
  transform: { '^.+\\.ts$': '<rootDir>/test/setup/oxc-transformer.cjs' },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: [
    '<rootDir>/labextension/package.json',
    '<rootDir>/dist/',
    '<rootDir>/build/',
    '<rootDir>/.venv/',
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
      setupFiles: ['<rootDir>/test/labextension/setup/browser-gaps.ts']
    }),
    room('python'),
    room('notebooks')
  ]
};

/** Node rooms run as ES modules on the TypeScript sources; the page's room runs in jsdom. */
const shared = {
  transform: { '^.+\\.ts$': '<rootDir>/test/setup/oxc-transformer.cjs' },
  extensionsToTreatAsEsm: ['.ts'],
  moduleFileExtensions: ['ts', 'js', 'mjs', 'cjs', 'json', 'node'],
  modulePathIgnorePatterns: ['<rootDir>/dist/', '<rootDir>/build/', '<rootDir>/.venv/', '<rootDir>/.gpu/']
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
    room('labextension', { testEnvironment: 'jsdom' }),
    room('python'),
    room('notebooks')
  ]
};

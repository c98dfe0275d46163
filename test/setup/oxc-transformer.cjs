// Jest transformer: types are checked by `tsc -b`, so tests only need them removed, which oxc does in microseconds.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');

const fingerprint = createHash('sha1').update(readFileSync(__filename)).digest('hex');
let oxc;

module.exports = {
  canInstrument: false,
  getCacheKey: (source, path) => createHash('sha1').update(fingerprint).update(path).update(source).digest('hex'),
  process() {
    throw new Error('this project runs its tests as ES modules: start jest with --experimental-vm-modules');
  },
  async processAsync(source, path) {
    oxc ??= await import('oxc-transform');
    const { code, map, errors } = oxc.transformSync(path, source, {
      lang: 'ts',
      sourceType: 'module',
      sourcemap: true,
      target: 'es2024',
      typescript: { onlyRemoveTypeImports: true }
    });
    if (errors.length > 0) throw new SyntaxError(`${path}: ${errors.map(error => error.message).join('; ')}`);
    return { code, map };
  }
};

// Jest transformer: `tsc -b` checks types, so tests only need them removed, which oxc does in microseconds.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');

const { transformSync } = require('oxc-transform'); // an ES module: needs a Node version that can require it

const fingerprint = createHash('sha1').update(readFileSync(__filename)).digest('hex');

module.exports = {
  canInstrument: false,
  getCacheKey: (source, path) =>
    createHash('sha1').update(fingerprint).update(path).update(source).digest('hex'),
  process(source, path) {
    const { code, map, errors } = transformSync(path, source, {
      lang: 'ts',
      sourceType: 'module',
      sourcemap: true,
      target: 'esnext',
      typescript: { onlyRemoveTypeImports: true }
    });
    if (errors.length > 0) throw new SyntaxError(`${path}: ${errors.map(error => error.message).join('; ')}`);
    return { code, map };
  }
};

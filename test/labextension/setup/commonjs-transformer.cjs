// Jupyter's packages are ES modules that are not marked as such, and Node would load them as CommonJS: converts them to CommonJS.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const typescript = require('typescript');

const fingerprint = createHash('sha1')
  .update(readFileSync(__filename))
  .update(typescript.version)
  .digest('hex');
const MODULE_SYNTAX = /^\s*(import|export)\b/m;

module.exports = {
  canInstrument: false,
  getCacheKey: (source, path, { supportsStaticESM }) =>
    createHash('sha1').update(`${fingerprint}${supportsStaticESM}`).update(path).update(source).digest('hex'),
  process(source, path, { supportsStaticESM }) {
    // Files that Node also treats as ES modules stay unchanged.
    if (supportsStaticESM || !MODULE_SYNTAX.test(source)) return { code: source };
    const { outputText } = typescript.transpileModule(source, {
      fileName: path,
      compilerOptions: {
        allowJs: true,
        esModuleInterop: true,
        module: typescript.ModuleKind.CommonJS,
        target: typescript.ScriptTarget.ES2024
      }
    });
    return { code: outputText };
  }
};

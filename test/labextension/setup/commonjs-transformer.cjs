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
  getCacheKey: (source, path) =>
    createHash('sha1').update(fingerprint).update(path).update(source).digest('hex'),
  process(source, path) {
    if (!MODULE_SYNTAX.test(source)) return { code: source };
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
  },
  // Reached by `import` from a test; files that Node also treats as ES modules stay unchanged.
  processAsync: async source => ({ code: source })
};

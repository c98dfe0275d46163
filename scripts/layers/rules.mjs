/** The layers of `layers.mjs` as a configuration of dependency-cruiser. */
import { layers, pageUses } from './layers.mjs';

/** @typedef {import('dependency-cruiser').IForbiddenRuleType} Rule */

/** Matches the files of a folder, without its subfolders. @param {string} tree @param {string} folder */
const filesOf = (tree, folder) => `^${tree}/${folder === '' ? '' : `${folder}/`}[^/]+$`;

/** @param {keyof typeof layers} tree @returns {Rule[]} */
function upward(tree) {
  return layers[tree].slice(0, -1).map((folder, place) => ({
    name: `${tree}/${folder} uses a higher layer in scripts/layers/layers.mjs`,
    severity: 'error',
    from: { path: filesOf(tree, folder) },
    to: { path: layers[tree].slice(place + 1).map(above => filesOf(tree, above)) }
  }));
}

/** @param {keyof typeof layers} tree @returns {Rule} */
function unlisted(tree) {
  return {
    name: `a folder of ${tree} is missing in scripts/layers/layers.mjs`,
    severity: 'error',
    from: { path: `^${tree}/`, pathNot: layers[tree].map(folder => filesOf(tree, folder)) },
    to: {}
  };
}

const page = pageUses.map(folder => `^src/${folder.replace('*', '[^/]+')}/[^/]+$`);

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...upward('src'),
    ...upward('kernel'),
    ...upward('labextension/src'),
    .../** @type {const} */ (['src', 'kernel', 'labextension/src']).map(unlisted),
    {
      name: 'the library uses neither the kernel nor the page',
      severity: 'error',
      from: { path: '^src/' },
      to: { path: '^(kernel|labextension)/' }
    },
    {
      name: 'the kernel does not use the page',
      severity: 'error',
      from: { path: '^kernel/' },
      to: { path: '^labextension/' }
    },
    {
      name: 'the page uses nothing of the kernel, and of src only the folders of pageUses in scripts/layers/layers.mjs',
      severity: 'error',
      from: { path: '^labextension/' },
      to: { path: '^(src|kernel)/', pathNot: page }
    },
    {
      name: 'modules import each other in a loop',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } }
    }
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: 'node_modules|^dist/' },
    // Reads the imports as written; `verbatimModuleSyntax` marks those of types, so nothing has to be compiled to find them.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: { extensions: ['.ts', '.tsx', '.js', '.mjs', '.json'] }
  }
};

/**
 * Tests that a change can break although they do not import the changed file: they start processes, read files or load a build. A folder
 * below `test/` means all tests in it. A file that matches no line runs all tests.
 * @type {readonly (readonly [RegExp, readonly string[]])[]}
 */
const BEYOND_IMPORTS = [
  [/^native\//, ['native', 'src', 'kernel', 'python', 'notebooks']],
  [/^(src|kernel)\//, ['kernel', 'python', 'notebooks']],
  [/^labextension\//, ['labextension', 'notebooks']],
  [/^(python|test)\/frontends\//, []],
  [/^python\/stridelab\//, ['python', 'src/python', 'kernel', 'notebooks']],
  [/^notebooks\//, ['notebooks']],
  [/^(docs\/|README)/, ['notebooks', 'scripts']],
  [/^scripts\//, ['scripts', 'notebooks', 'python']],
  [/^test\/(addon|cuda|nccl|oracle)\//, ['native', 'src']],
  [
    /^test\/(frontends|kernel|labextension|libraries|native|notebooks|packages|python|scripts|src)\/.*\.ts$/,
    []
  ],
  [/^test\/kernel\//, ['kernel']],
  [/^test\/labextension\//, ['labextension']],
  [/^test\/notebooks\//, ['notebooks']],
  [/^test\/python\//, ['python']],
  [/^test\/src\//, ['src']],
  [/^test\/setup\/.*\.ts$/, []],
  [
    /^(bench|fuzz|test\/gpu|\.ci)\/|^(CHANGELOG|CONTRIBUTING)\.md$|^LICENSE$|^\.(clang|prettier)|^knip\.json$|^eslint/,
    []
  ]
];

/**
 * Returns the folders of the tests that changes can break without an import.
 * @param {readonly string[]} changed paths from the root of the repository
 * @returns {readonly string[] | undefined} folders below `test/` whose tests must run in addition to those that import a changed file;
 *   undefined for all tests
 */
export function affectedFolders(changed) {
  /** @type {Set<string>} */
  const folders = new Set();
  for (const file of changed) {
    const line = BEYOND_IMPORTS.find(([pattern]) => pattern.test(file));
    if (line === undefined) return undefined;
    for (const folder of line[1]) folders.add(folder);
  }
  return [...folders].sort();
}

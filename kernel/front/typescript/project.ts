/** The compiler's settings for cells, given to the server as a `tsconfig.json` that is on no disk. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsxOptions } from '../../protocol/cell-language.ts';
import { CELL_GLOBALS, CELL_MODULES } from '../../protocol/cell-modules.ts';
import { TsConfigReader } from '../../protocol/tsconfig.ts';
import { FILE_PREFIX } from './composer.ts';

const PACKAGE_ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Content of the `tsconfig.json` of the notebook's folder. */
export function projectSettings(): string {
  const nodeTypes = dirname(createRequire(import.meta.url).resolve('@types/node/package.json'));
  return JSON.stringify({
    compilerOptions: {
      target: 'esnext',
      lib: ['esnext'],
      module: 'preserve',
      moduleResolution: 'bundler',
      moduleDetection: 'force',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      resolveJsonModule: true,
      allowImportingTsExtensions: true,
      types: ['node'],
      typeRoots: [dirname(nodeTypes)],
      ...jsxOptions(new TsConfigReader(process.cwd()).read().compilerOptions),
      paths: modulePaths()
    },
    // Files that are not on disk when the server reads this are of no project, unless they are named.
    files: [`${FILE_PREFIX}draft.ts`, `${FILE_PREFIX}draft.tsx`],
    include: [`${FILE_PREFIX}*.ts`, `${FILE_PREFIX}*.tsx`]
  });
}

/** The file that declares what cells find as globals. */
export function globalDeclarations(): { readonly file: string; readonly text: string } {
  const names = Object.entries(CELL_GLOBALS).map(
    ([name, specifier]) => `const ${name}: typeof import("${specifier}").${name};`
  );
  return {
    file: `${FILE_PREFIX}globals.d.ts`,
    text: `export {};\ndeclare global {\n${names.join('\n')}\n}\n`
  };
}

function modulePaths(): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(CELL_MODULES).map(([specifier, module]) => [
      specifier,
      [join(PACKAGE_ROOT, 'dist', `${module}.d.ts`)]
    ])
  );
}

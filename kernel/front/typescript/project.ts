/** Compiler settings for cells, as a `tsconfig.json` that is not on disk: it extends the user's with the options that cells require. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { jsxOptions } from '../../protocol/cell-language.ts';
import { CELL_GLOBALS, CELL_MODULES, DENO } from '../../protocol/cell-modules.ts';
import { compiledFolder } from '../../protocol/own-files.ts';
import { PEER_MODULES } from '../../protocol/peer-modules.ts';
import type { CompilerOptions, TsConfig } from '../../protocol/tsconfig.ts';
import { foldersFrom } from '../../protocol/user-files.ts';
import { FILE_PREFIX } from './composer.ts';
import { isRelaxed, relaxedOptions } from './relaxed-checks.ts';
import type { RemotePaths } from './remote-types.ts';

export interface ProjectDocument {
  readonly file: string;
  readonly text: string;
}

const SETTINGS_FILE = 'tsconfig.json';
/** Name for the user's settings, because the kernel's settings take theirs. */
const USER_SETTINGS_FILE = `${FILE_PREFIX}tsconfig.json`;

/** What cells have used so far: remote modules, and whether they used the DOM. */
export interface UsedTypes {
  readonly remote: RemotePaths;
  readonly dom: boolean;
}

/** Returns the documents that every cell needs; `scratch` is the folder that earlier cells may be in. */
export function projectDocuments(
  folder: string,
  scratch: string,
  config: TsConfig,
  used: UsedTypes = { remote: {}, dom: false }
): ProjectDocument[] {
  const documents: ProjectDocument[] = [];
  let extended = config.path;
  if (extended === join(folder, SETTINGS_FILE)) {
    documents.push({ file: USER_SETTINGS_FILE, text: readFileSync(extended, 'utf8') });
    extended = `./${USER_SETTINGS_FILE}`;
  }
  const files = [SETTINGS_FILE, ...documents.map(({ file }) => file)];
  const settings = {
    ...(extended === undefined ? {} : { extends: extended }),
    compilerOptions: { ...defaults(config.compilerOptions), ...fixed(folder, scratch, config, used.remote) },
    // The settings are part of the project: otherwise the server creates another project for them.
    files,
    include: [`${FILE_PREFIX}*`],
    exclude: []
  };
  documents.push({ file: SETTINGS_FILE, text: JSON.stringify(settings) }, globalDeclarations());
  // Not in the settings, which a running server would not read again.
  if (used.dom && config.compilerOptions.lib === undefined)
    documents.push({ file: `${FILE_PREFIX}dom.d.ts`, text: '/// <reference lib="dom" />\n' });
  return documents;
}

/** Returns the default options of cells, which the user's file can override. */
function defaults(user: CompilerOptions): object {
  return Object.fromEntries(
    Object.entries({
      lib: ['esnext'],
      ...(isRelaxed(user) ? relaxedOptions() : {}),
      // Imports other than of types are kept, whether they name a value or not.
      verbatimModuleSyntax: true
    }).filter(([option]) => !(option in user))
  );
}

/** Returns the options that are fixed by the way cells run. */
function fixed(folder: string, scratch: string, config: TsConfig, remote: RemotePaths): object {
  const user = config.compilerOptions;
  return {
    target: 'esnext',
    module: 'preserve',
    moduleResolution: 'bundler',
    moduleDetection: 'force',
    noEmit: true,
    skipLibCheck: true,
    // Cells in plain JavaScript are checked as such, and the user's own JavaScript has inferred types.
    allowJs: true,
    checkJs: true,
    resolveJsonModule: true,
    allowImportingTsExtensions: true,
    rootDirs: [folder, scratch],
    composite: false,
    incremental: false,
    declaration: false,
    isolatedDeclarations: false,
    // JSX is transformed as it is for execution.
    ...jsxOptions(user),
    // The executor is a Node process, whatever the notebook's project is.
    types: [...new Set([...(user.types ?? []), 'node'])],
    typeRoots: [...userTypeRoots(folder, config), ownTypeRoot()],
    paths: { ...userPaths(config), ...remote, ...modulePaths() }
  };
}

function userTypeRoots(folder: string, { path, compilerOptions }: TsConfig): string[] {
  const written = compilerOptions.typeRoots;
  if (written !== undefined && path !== undefined) {
    return written.map(root => (isAbsolute(root) ? root : resolve(dirname(path), root)));
  }
  return foldersFrom(folder).map(parent => join(parent, 'node_modules/@types'));
}

function ownTypeRoot(): string {
  const nodeTypes = dirname(createRequire(import.meta.url).resolve('@types/node/package.json'));
  return dirname(nodeTypes);
}

/** Returns the user's paths, made absolute: they are written to a file that may be in another folder. */
function userPaths({ compilerOptions, resolvePaths }: TsConfig): Record<string, string[]> {
  const patterns = Object.keys(compilerOptions.paths ?? {});
  if (compilerOptions.baseUrl !== undefined) patterns.push('*');
  return Object.fromEntries(patterns.map(pattern => [pattern, [...resolvePaths(pattern)]]));
}

function globalDeclarations(): ProjectDocument {
  const names = Object.entries(CELL_GLOBALS).map(
    ([name, specifier]) => `const ${name}: typeof import("${specifier}").${name};`
  );
  return {
    file: `${FILE_PREFIX}globals.d.ts`,
    text: `import { Deno as DenoOfCells } from "stridelab/deno";\ndeclare global {\nexport import ${DENO} = DenoOfCells;\n${names.join('\n')}\n}\n`
  };
}

function modulePaths(): Record<string, string[]> {
  const modules = { ...CELL_MODULES, ...PEER_MODULES, 'stridelab/managers/*': 'src/memory/managers/*' };
  return Object.fromEntries(
    Object.entries(modules).map(([specifier, module]) => [
      specifier,
      [join(compiledFolder, `${module}.d.ts`)]
    ])
  );
}

/** The parser of oxc, loaded at the first use: most cells and their settings are read without it. Parsing is synchronous, and so is this. */

import type * as Oxc from 'oxc-parser';

let loaded: typeof Oxc | undefined;

export function parseSync(...parameters: Parameters<typeof Oxc.parseSync>): Oxc.ParseResult {
  loaded ??= process.getBuiltinModule('node:module').createRequire(import.meta.url)(
    'oxc-parser'
  ) as typeof Oxc;
  return loaded.parseSync(...parameters);
}

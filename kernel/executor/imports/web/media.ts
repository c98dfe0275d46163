/** What a file from the web is, by its media type and its URL. */

/** File extensions of modules, which decide how a module is run. */
export type ModuleEnding = '.ts' | '.tsx' | '.mts' | '.d.ts' | '.d.mts' | '.js' | '.jsx' | '.mjs' | '.json';

const ENDINGS = /(?:\.d)?\.(?:m?[jt]s|[jt]sx|json)$/;
const JAVASCRIPT = /^(?:text|application)\/(?:x-)?(?:java|ecma)script$/;
/** Servers that do not know TypeScript take `.ts` for a video. */
const TYPESCRIPT = /^(?:text|application)\/(?:x-)?typescript$|^video\/mp2t$/;
const JSON_TYPE = /^(?:text|application)\/json$|\+json$/;
const UNKNOWN = new Set(['', 'text/plain', 'application/octet-stream', 'binary/octet-stream']);

/** Returns the extension for a response; undefined if it is not a module, such as an HTML page. */
export function endingOf(url: string, contentType: string | null): ModuleEnding | undefined {
  const media = (contentType ?? '').replace(/;.*/s, '').trim().toLowerCase();
  const written = ENDINGS.exec(new URL(url).pathname)?.[0] as ModuleEnding | undefined;
  if (JAVASCRIPT.test(media)) return written === '.mjs' || written === '.jsx' ? written : '.js';
  if (TYPESCRIPT.test(media)) return written?.includes('ts') === true ? written : '.ts';
  if (media === 'text/tsx' || media === 'text/jsx') return `.${media.slice(-3) as 'tsx' | 'jsx'}`;
  if (JSON_TYPE.test(media)) return '.json';
  return UNKNOWN.has(media) ? written : undefined;
}

/** Returns whether the file only declares types. */
export function isDeclaration(ending: ModuleEnding): boolean {
  return ending.startsWith('.d.');
}

/** Returns the path of a file with an extension: the one that its URL has, if it is the right one, or else a second one. */
export function withEnding(path: string, ending: ModuleEnding): string {
  return path.endsWith(ending) && isDeclaration(ending) === /\.d\.m?ts$/.test(path) ? path : path + ending;
}

/** Returns the path at which TypeScript looks for the types of a file that has none. */
export function declarationPath(path: string): string {
  const written = /\.m?js$/.exec(path)?.[0];
  if (written === undefined) return `${path}.d.ts`;
  return `${path.slice(0, -written.length)}.d.${written === '.mjs' ? 'mts' : 'ts'}`;
}

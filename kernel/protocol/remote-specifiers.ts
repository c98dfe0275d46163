/** Specifiers of remote modules, which must be fetched before they can be imported. */

import { peerModule } from './peer-modules.ts';

const REMOTE = /^(?:npm|jsr|https?):/;
const JSX_SOURCE = /@jsxImportSource\s+((?:npm|jsr|https?):[^\s*]+)/g;
/** A literal as in `from "npm:x"`, `import("npm:x")` or `require("npm:x")`; a URL elsewhere, such as that of `fetch`, is no module. */
const MENTION =
  /\b(?:from|import|require)\b(?:[\s(]|\/\*[^]*?\*\/|\/\/.*\n)*(["'`])((?:npm|jsr|https?):[^"'`\n]+)\1/g;

/** Returns whether a specifier names a module that must be fetched before it can be imported: those that the kernel replaces are not. */
export function isRemote(specifier: string): boolean {
  return REMOTE.test(specifier) && peerModule(specifier) === undefined;
}

/** Returns the remote specifiers that imports and JSX comments of code name by literals. The code need not parse. */
export function remoteMentions(code: string): string[] {
  const literals = [...code.matchAll(MENTION)].map(([, , specifier]) => specifier!).filter(isRemote);
  return [...literals, ...jsxRuntimes(code).map(({ specifier }) => specifier)];
}

/** Returns the remote modules that comments choose for JSX, with the offsets of the comments' words. */
export function jsxRuntimes(code: string): { readonly specifier: string; readonly start: number }[] {
  return [...code.matchAll(JSX_SOURCE)].map(({ 1: source, index }) => ({
    specifier: `${source}/jsx-runtime`,
    start: index
  }));
}

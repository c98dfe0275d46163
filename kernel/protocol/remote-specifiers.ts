/** Specifiers of remote modules, which must be fetched before they can be imported. */

const REMOTE = /^(?:npm|jsr|https?):/;
const MENTION = /(["'`])((?:npm|jsr|https?):[^"'`\n]+)\1/g;

/** Returns whether a specifier names a module that must be fetched before it can be imported. */
export function isRemote(specifier: string): boolean {
  return REMOTE.test(specifier);
}

/** Returns the remote specifiers in the string literals of code, which need not parse; some may not be imports. */
export function remoteMentions(code: string): string[] {
  return [...code.matchAll(MENTION)].map(([, , specifier]) => specifier!);
}

/** Specifiers of packages in a registry, as Deno writes them: `npm:zod@4`, `npm:@scope/name@^1/path`, `jsr:@std/path@1`. */

export interface PackageSpecifier {
  /** The name in the registry: `@jsr/std__path` for `jsr:@std/path`. */
  readonly name: string;
  /** A range of versions or a tag; empty if any version will do. */
  readonly range: string;
  /** Path inside the package, with its leading slash; empty for the package itself. */
  readonly path: string;
}

const PACKAGE = /^(npm|jsr):\/?((?:@[^/@]+\/)?[^/@]+)(?:@([^/]*))?(\/.*)?$/;
/** A name that npm allows, also for packages from before capitals were forbidden. */
const NAME = /^(?:@[\w~-][\w.~-]*\/)?[\w~-][\w.~-]*$/;
const JSR_NAME = /^@([a-z\d-]+)\/([a-z\d-]+)$/;
/** Characters of ranges and tags: no addresses of other sources, which npm would also accept. */
const RANGE = /^[\w .*^~<>=|+-]*$/;

/** Returns whether the specifier is of this kind, correct or not. */
export function isPackageSpecifier(specifier: string): boolean {
  return /^(?:npm|jsr):/.test(specifier);
}

/** Returns the parts of a specifier; undefined if it is malformed or of another kind. */
export function parsePackageSpecifier(specifier: string): PackageSpecifier | undefined {
  const [, scheme, written = '', version = '', path = ''] = PACKAGE.exec(specifier) ?? [];
  const range = decoded(version).trim();
  const name =
    scheme === 'jsr'
      ? written.replace(JSR_NAME, (_, scope: string, name: string) => `@jsr/${scope}__${name}`)
      : written;
  if (!NAME.test(name) || !RANGE.test(range)) return undefined;
  if (scheme === 'jsr' && name === written) return undefined;
  // `latest` is what a new installation gets anyway; what is there already will do.
  return { name, range: range === '*' || range === 'latest' ? '' : range, path: path === '/' ? '' : path };
}

/** Decodes a range in a URL, where `^` is `%5E`. */
function decoded(range: string): string {
  try {
    return decodeURIComponent(range);
  } catch {
    return range;
  }
}

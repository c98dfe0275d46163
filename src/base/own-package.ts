/** The name of the package that contains this library: `stridelab`, or the Jupyter kernel's in its packages. */

import { createRequire } from 'node:module';

/** Returns a specifier of `stridelab` or one of its entries under the name of the package that contains this library. */
export function ownSpecifier(specifier: string): string {
  const { name } = createRequire(import.meta.url)('#package') as { name: string };
  return specifier.replace('stridelab', name);
}

/** The compiler's settings for cells, given to the server as a `tsconfig.json` that is on no disk. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
      paths: { stridelab: [join(PACKAGE_ROOT, 'dist/src/index.d.ts')] }
    },
    include: [`${FILE_PREFIX}*.ts`]
  });
}

import { join } from 'node:path';
import { runStep } from './child.mjs';
import { ensureControls } from './controls.mjs';
import { runtimeNode } from './node.mjs';
import { paths, root } from './paths.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

/** TypeScript 7, which also checks cells. Programs that use the compiler as a library, such as ESLint's plugin, need version 6. */
export const compiler = join(paths.packages, 'ts7', 'bin', 'tsc');

/** What decides the bundles, beside the sources and the packages. */
const BUNDLING = [join(root, 'scripts', 'setup', 'bundles.mjs'), join(root, 'package.json')];

/** Compiles the array library, the kernel and the extension's modules. */
export async function ensureTypeScript() {
  await ensureControls();
  const rooms = ['src', 'kernel', 'labextension'].map(room => join(root, room));
  const inputs = rooms.flatMap(room => filesBelow(room, ['.ts', '.tsx', '.json']));
  await refresh({
    name: 'typescript',
    doing: 'compiling TypeScript',
    hash: fingerprint([...inputs, ...BUNDLING, join(root, 'tsconfig.json'), join(root, 'package-lock.json')]),
    results: [
      join(root, 'dist', 'src', 'index.js'),
      paths.kernelMain,
      join(root, 'build', 'compiled', 'page', 'src', 'models', 'index.js')
    ],
    work: async () => {
      await runStep('typescript', runtimeNode(), [compiler, '-b', ...rooms, '--pretty', 'false'], {
        fix: "see the compiler's errors above."
      });
      // Imported when the packages are installed.
      const { bundleModules } = await import('./bundles.mjs');
      await bundleModules();
    }
  });
}

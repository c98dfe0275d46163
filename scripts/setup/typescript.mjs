import { join } from 'node:path';
import { runStep } from './child.mjs';
import { runtimeNode } from './node.mjs';
import { paths, root } from './paths.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

export const compiler = join(paths.packages, 'typescript', 'bin', 'tsc');

/** Compiles the array library, the kernel and the extension's modules. */
export async function ensureTypeScript() {
  const rooms = ['src', 'kernel', 'labextension'].map(room => join(root, room));
  const inputs = rooms.flatMap(room => filesBelow(room, ['.ts', '.tsx', '.json']));
  await refresh({
    name: 'typescript',
    doing: 'compiling TypeScript with tsc -b',
    hash: fingerprint([
      ...inputs,
      join(root, 'tsconfig.json'),
      join(paths.packages, 'typescript', 'package.json')
    ]),
    results: [
      join(root, 'dist', 'src', 'index.js'),
      paths.kernelMain,
      join(root, 'dist', 'page', 'src', 'models', 'index.js')
    ],
    work: () =>
      runStep('typescript', runtimeNode(), [compiler, '-b', ...rooms, '--pretty', 'false'], {
        fix: 'the compiler names the file and line above.'
      })
  });
}

import { join } from 'node:path';
import { pageUses } from '../layers/layers.mjs';
import { runStep } from './child.mjs';
import { runtimeNode } from './node.mjs';
import { paths, root } from './paths.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

/** Bundles the JupyterLab extension into dist/labextension. Needs the compiled TypeScript. */
export async function ensureExtension() {
  const config = join(root, 'webpack.config.js');
  const room = join(root, 'labextension');
  const library = new Set(pageUses.map(folder => folder.split('/')[0] ?? folder));
  const inputs = [
    ...filesBelow(room, ['.ts', '.tsx', '.css', '.svg', '.json', '.js', '.mjs']),
    ...[...library].flatMap(name => filesBelow(join(root, 'src', name), ['.ts'])),
    ...filesBelow(join(root, 'docs'), ['.md', '.png', '.svg']),
    config,
    ...['package.json', 'package-lock.json'].map(name => join(root, name))
  ];
  await refresh({
    name: 'extension',
    doing: 'bundling the JupyterLab extension',
    hash: fingerprint(inputs),
    results: ['labextension/package.json', 'index.js', 'afm/stridelab.js'].map(name =>
      join(root, 'dist', name)
    ),
    work: () =>
      runStep(
        'extension',
        runtimeNode(),
        [join(paths.packages, 'webpack', 'bin', 'webpack.js'), '--config', config, '--mode', 'production'],
        { fix: "see webpack's errors above." }
      )
  });
}

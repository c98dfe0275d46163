import { join } from 'node:path';
import { generateControls } from '../controls/generate.mjs';
import { paths, root } from './paths.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

const folder = join(root, 'kernel', 'widgets', 'controls');
const schema = join(paths.packages, '@jupyter-widgets', 'schema', 'package.json');

/** Generates a part of the sources of the controls. */
export async function ensureControls() {
  await refresh({
    name: 'controls',
    doing: 'generating the classes of controls',
    hash: fingerprint([...filesBelow(join(root, 'scripts', 'controls'), ['.mjs']), schema]),
    results: [join(folder, 'dom-widget.generated.ts')],
    work: async () => generateControls(folder)
  });
}

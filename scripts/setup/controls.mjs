import { join } from 'node:path';
import { generateControls } from '../controls/generate.mjs';
import { paths, root } from './paths.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

const folder = join(root, 'kernel', 'widgets', 'controls');
const schema = join(paths.packages, '@jupyter-widgets', 'schema', 'package.json');

/** Writes the generated half of the controls, which TypeScript and the tests then read as any other source. */
export async function ensureControls() {
  await refresh({
    name: 'controls',
    doing: 'generating the classes of controls',
    hash: fingerprint([...filesBelow(join(root, 'scripts', 'controls'), ['.mjs']), schema]),
    results: [join(folder, 'dom-widget.generated.ts')],
    work: async () => generateControls(folder)
  });
}

/** The modules that the package exports beside `stridelab`. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../scripts/setup/paths.mjs';
import { run } from '../setup/repository.ts';

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Readonly<Record<string, { readonly default: string }>>;
};

test.each(['./memory', './sharing', './collectives', './cluster'])(
  'importing %s only gives arrays all of their members',
  async name => {
    const module = JSON.stringify(join(root, exports[name]!.default));
    const program = `
    const names = Object.keys(await import(${module}));
    const { NDArray } = await import(${JSON.stringify(join(root, 'dist/src/array/array.js'))});
    const members = ['add', '__dlpack__', '__cuda_array_interface__', Symbol.for('Jupyter.display')];
    console.log(names.length > 0 && members.every(member => member in NDArray.prototype));`;
    const { stdout, output } = await run(process.execPath, ['--input-type=module', '--eval', program]);
    expect({ stdout, output }).toMatchObject({ stdout: 'true\n' });
  }
);

/** Each memory manager is an entry point of the package: a program may import it before the library itself. */

import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../../setup/repository.ts';

const names = readdirSync(join(root, 'src', 'memory', 'managers')).map(file => basename(file, '.ts'));

test.each(names)('stridelab/managers/%s can be imported first', name => {
  const program = `
    const manager = await import('stridelab/managers/${name}');
    const { zeros } = await import('stridelab');
    console.log(Object.keys(manager).length > 0, zeros(3).size);
  `;
  const args = ['--input-type=module', '--eval', program];
  expect(execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8' })).toBe('true 3\n');
});

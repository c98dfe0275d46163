/** The table of packages in docs/packages.md, which npm run test:libraries tests. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { libraries } from '../libraries/list.ts';
import { root } from '../setup/repository.ts';

test('the table lists the packages that are tested, with what users should know', () => {
  const page = readFileSync(join(root, 'docs', 'packages.md'), 'utf8');
  const rows = page.split('\n').filter(line => line.startsWith('| `'));
  expect(rows).toEqual(
    libraries.map(({ name, kind, types, tried, know }) => {
      const notes = [
        ...(types ? [`types in \`@types/${name}\``] : []),
        ...(know === undefined ? [] : [know])
      ];
      return `| \`${name}\` | ${kind} | ${tried} | ${['works', ...notes].join('; ')} |`;
    })
  );
  expect(page).toContain(`## ${libraries.length} packages`);
});

/** Pictures stored in this repository's notebooks: current code must still be able to read them. */

import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { checkDescription } from '../../labextension/src/views/array/read-description.ts';
import { ARRAY_MIME_TYPE } from '../../src/pictures/kit/live-messages.ts';

interface Stored {
  readonly cells: readonly { readonly outputs?: readonly { readonly data?: Record<string, unknown> }[] }[];
}

const pictures = readdirSync('notebooks')
  .filter(name => name.endsWith('.ipynb'))
  .flatMap(name => {
    const { cells } = JSON.parse(readFileSync(path.join('notebooks', name), 'utf8')) as Stored;
    return cells
      .flatMap(({ outputs = [] }) => outputs.map(({ data }) => data?.[ARRAY_MIME_TYPE]))
      .filter(data => data !== undefined)
      .map(data => [name, data] as const);
  });

test('the repository stores some', () => {
  expect(pictures.length).toBeGreaterThan(1);
});

test.each(pictures)('an array in %s', (_name, data) => {
  expect(() => checkDescription(data)).not.toThrow();
});

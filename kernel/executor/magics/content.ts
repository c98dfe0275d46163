/** Cell magics that display or save the text below them. */

import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { publishDisplay } from '../front/publish.ts';
import { toStdout } from './commands.ts';
import { MagicError, type MagicDefinition, type MagicTable } from './magic.ts';

export const contentMagics: MagicTable<'%%html' | '%%markdown' | '%%svg' | '%%latex' | '%%writefile'> = {
  '%%html': showAs('html', 'text/html', 'HTML'),
  '%%markdown': showAs('markdown', 'text/markdown', 'Markdown'),
  '%%svg': showAs('svg', 'image/svg+xml', 'an SVG picture'),
  '%%latex': showAs('latex', 'text/latex', 'LaTeX'),
  '%%writefile': {
    usage: '%%writefile [-a] FILE',
    summary: 'Writes the rest of the cell to a file; -a appends it',
    run: ({ argument, body }) => {
      const [, append, name] = /^(-a\s+)?(.*)$/s.exec(argument)!;
      if (name === '' || name === undefined)
        throw new MagicError('%%writefile needs a file name, for instance: %%writefile lib.ts');
      const text = body.endsWith('\n') || body === '' ? body : `${body}\n`;
      const file = resolve(name);
      try {
        writeFileSync(file, text, { flag: append === undefined ? 'w' : 'a' });
      } catch (error) {
        throw new MagicError(`%%writefile: ${(error as Error).message}`);
      }
      toStdout(`${append === undefined ? 'Wrote' : 'Appended to'} ${file}\n`);
    }
  }
};

function showAs(name: string, type: string, what: string): MagicDefinition {
  return {
    usage: `%%${name}`,
    summary: `Shows the rest of the cell as ${what}`,
    run: ({ body }) => publishDisplay({ [type]: body, 'text/plain': body })
  };
}

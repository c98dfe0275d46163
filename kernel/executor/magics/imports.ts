/** `%imports`: the remote modules of the folder's notebooks. */

import { LOCK_FILE } from '../../protocol/lock-file.ts';
import { toStdout } from './commands.ts';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';

export const importMagics: MagicTable<'%imports'> = {
  '%imports': {
    usage: '%imports [lock | clear]',
    summary: `Lists what was imported by npm:, jsr: or https: and where it is; lock writes its versions to ${LOCK_FILE}, clear deletes it`,
    run: imports
  }
};

async function imports({ argument, schemes, signal }: MagicCall): Promise<void> {
  if (!['', 'lock', 'clear'].includes(argument))
    throw new MagicError(`%imports: expected lock, clear or nothing, not "${argument}"`);
  const all = await schemes();
  if (argument === '') {
    const lines = all.flatMap(scheme => scheme.list());
    toStdout(lines.length === 0 ? 'No remote imports\n' : `${lines.join('\n')}\n`);
  }
  for (const scheme of all) {
    if (argument === 'lock') await scheme.lock(signal);
    if (argument === 'clear') await scheme.clear(signal);
  }
  if (argument === 'lock') toStdout(`Wrote ${LOCK_FILE}\n`);
}

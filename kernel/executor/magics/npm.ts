/** `%npm`: installs packages in the notebook's folder, importable by the next cell. */

import { toStderr, toStdout } from './commands.ts';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';
import { npmFailure, runNpm, type NpmEnd } from './npm-program.ts';

const INSTALLS = new Set(['install', 'i', 'add', 'update', 'up', 'uninstall', 'remove', 'rm', 'un']);

export const npmMagics: MagicTable<'%npm'> = {
  '%npm': {
    usage: '%npm install|uninstall|ls|… [PACKAGE …]',
    summary:
      "Runs npm in the notebook's folder and updates its package.json; the same cell can import new packages",
    run: npm
  }
};

async function npm({ argument, folder, signal }: MagicCall): Promise<void> {
  const args = argument.split(/\s+/).filter(word => word !== '');
  const [command] = args;
  if (command === undefined) throw new MagicError('%npm needs a command, for instance: %npm install zod');
  const end = await runNpm({ folder, args, fetches: INSTALLS.has(command) }, signal, {
    stdout: toStdout,
    stderr: toStderr
  });
  if (end.status !== 0) throw new MagicError(failure(command, end), 'NpmError');
}

function failure(command: string, end: NpmEnd): string {
  const { kind, subject } = npmFailure(end);
  if (kind === 'offline')
    return `npm ${command} could not reach the registry (${subject}): check the network and \`npm config get registry\``;
  if (kind === 'no-package') return `The registry has no package "${subject}": check the name`;
  if (kind === 'no-version')
    return `The registry has no version ${subject}: \`%npm view\` lists the versions`;
  return `npm ${command} failed: ${subject}`;
}

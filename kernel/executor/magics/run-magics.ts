/** Runs the magics of a cell, in order, before its TypeScript. */

import { formatDuration } from '../../../src/base/time-text.ts';
import { isTypesMode, MAGIC_NAMES, type Magic, type MagicName } from '../../protocol/magics.ts';
import { commandMagics, toStdout } from './commands.ts';
import { contentMagics } from './content.ts';
import { importMagics } from './imports.ts';
import { isMagicName, knownName, magicName } from './known-magics.ts';
import { MagicError, type MagicCall, type MagicTable } from './magic.ts';
import { nameMagics } from './notebook-names.ts';
import { npmMagics } from './npm.ts';
import { processMagics } from './process-state.ts';
import { pythonMagics } from './python.ts';

const MAGICS: MagicTable<MagicName> = {
  ...commandMagics,
  ...npmMagics,
  ...importMagics,
  ...processMagics,
  ...nameMagics,
  ...contentMagics,
  ...pythonMagics,
  '%time': {
    usage: '%time [CODE]',
    summary: 'Reports how long the cell took, including CODE on the same line',
    run: () => undefined
  },
  '%%time': {
    usage: '%%time',
    summary: 'Reports how long the cell took',
    run: () => undefined
  },
  '%types': {
    usage: '%types strict|warn|off',
    summary: 'Sets what type errors do from this cell on: stop the cell, warn, or nothing',
    // The front sets the mode; it reads the line too.
    run: ({ argument }) => {
      if (argument !== '' && !isTypesMode(argument))
        throw new MagicError(`%types: expected strict, warn or off, not "${argument}"`);
    }
  },
  '%lsmagic': {
    usage: '%lsmagic',
    summary: 'Lists the magics',
    run: () => toStdout(`${MAGIC_NAMES.join('  ')}\n`)
  },
  '%help': {
    usage: '%help [MAGIC]',
    summary: 'Explains all magics, or one',
    run: ({ argument }) => help(argument)
  }
};

/** Runs the magics. Throws `MagicError`, with its place, at the first that fails. */
export async function runMagics(
  magics: readonly Magic[],
  environment: Omit<MagicCall, 'argument' | 'body' | 'magic'>
): Promise<void> {
  for (const magic of magics) {
    const { argument, body } = magic;
    try {
      await MAGICS[magicName(magic)].run({ argument, body, magic, ...environment });
    } catch (error) {
      if (error instanceof MagicError) error.start = magic.start;
      throw error;
    }
    if (environment.signal.aborted) return;
  }
}

export function isTimed(magics: readonly Magic[]): boolean {
  return magics.some(({ name }) => name === 'time');
}

/** Runs `work` and prints its wall-clock and processor time, even if it fails. */
export async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const cpu = process.cpuUsage();
  const begin = process.hrtime.bigint();
  try {
    return await work();
  } finally {
    const wall = formatDuration(Number(process.hrtime.bigint() - begin) / 1000);
    const { user, system } = process.cpuUsage(cpu);
    toStdout(`Wall time: ${wall}, CPU: ${formatDuration(user)} user, ${formatDuration(system)} system\n`);
  }
}

function help(argument: string): void {
  const typed = ['', '%', '%%'].map(signs => signs + argument).find(isMagicName) ?? argument;
  const entries = argument === '' ? Object.values(MAGICS) : [MAGICS[knownName(typed)]];
  const width = Math.max(...entries.map(({ usage }) => usage.length));
  for (const { usage, summary } of entries) toStdout(`${usage.padEnd(width)}  ${summary}\n`);
}

/** Magics that list and reset the notebook's variables. */

import { inspect } from 'node:util';
import { shorten } from '../../../src/base/short-texts.ts';
import { toStdout } from './commands.ts';
import { MagicError, type MagicTable } from './magic.ts';

const MAX_VALUE = 60;

export const nameMagics: MagicTable<'%who' | '%reset'> = {
  '%who': {
    usage: '%who [TYPE]',
    summary: 'Lists the variables of the notebook, or those of a type: number, function, Map, …',
    run: ({ argument, names }) => {
      const rows = names
        .list()
        .map(name => [name, typeName(names.value(name)), shortValue(names.value(name))] as const)
        .filter(([, type]) => argument === '' || type === argument);
      if (rows.length === 0) toStdout('No variables\n');
      const widths = [0, 1].map(column => Math.max(0, ...rows.map(row => row[column]!.length)));
      for (const [name, type, value] of rows) {
        toStdout(`${name.padEnd(widths[0]!)}  ${type.padEnd(widths[1]!)}  ${value}\n`);
      }
    }
  },
  '%reset': {
    usage: '%reset [NAME …]',
    summary: 'Removes all variables of the notebook, or those named; loaded modules stay loaded',
    run: ({ argument, names }) => {
      const wanted = argument.split(/[\s,]+/).filter(name => name !== '' && name !== '-f');
      const unknown = wanted.find(name => !names.has(name));
      if (unknown !== undefined) throw new MagicError(`%reset: the notebook has no variable ${unknown}`);
      names.forget(wanted.length > 0 ? wanted : names.list());
      if (wanted.length === 0) names.jsxSource = undefined;
    }
  }
};

/** Returns `number`, `class`, `function`, or the name of an object's class. */
function typeName(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'function') {
    return /^class\b/.test(Function.prototype.toString.call(value)) ? 'class' : 'function';
  }
  if (typeof value !== 'object') return typeof value;
  try {
    return (value.constructor as { name?: string } | undefined)?.name || 'Object';
  } catch {
    // A revoked proxy, or a getter that throws.
    return 'object';
  }
}

function shortValue(value: unknown): string {
  const text = inspect(value, {
    depth: 0,
    breakLength: Infinity,
    maxArrayLength: 8,
    maxStringLength: MAX_VALUE
  });
  return shorten(text.replace(/\s*\n\s*/g, ' '), MAX_VALUE);
}

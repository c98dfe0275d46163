/** Magics for the working directory and the environment of the process in which the cells run. */

import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { toStdout } from './commands.ts';
import { MagicError, type MagicTable } from './magic.ts';

let previousFolder: string | undefined;

export const processMagics: MagicTable<'%cd' | '%pwd' | '%env'> = {
  '%cd': {
    usage: '%cd [FOLDER | -]',
    summary: "Changes the working directory; imports are still resolved from the notebook's folder",
    run: ({ argument }) => changeFolder(argument)
  },
  '%pwd': {
    usage: '%pwd',
    summary: 'Prints the working directory',
    run: () => toStdout(`${process.cwd()}\n`)
  },
  '%env': {
    usage: '%env [NAME | NAME=VALUE]',
    summary: 'Prints or sets environment variables',
    run: ({ argument }) => environment(argument)
  }
};

function changeFolder(argument: string): void {
  const wanted = unquote(argument) || homedir();
  if (wanted === '-' && previousFolder === undefined) throw new MagicError('%cd -: no previous folder');
  const target = wanted === '-' ? previousFolder! : resolve(wanted.replace(/^~(?=\/|$)/, homedir()));
  const before = process.cwd();
  try {
    process.chdir(target);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = {
      ENOENT: 'no such folder',
      ENOTDIR: 'not a folder but a file',
      EACCES: 'access denied'
    };
    throw new MagicError(`%cd ${target}: ${reason[code as keyof typeof reason] ?? message}`);
  }
  previousFolder = before;
  toStdout(`${process.cwd()}\n`);
}

function environment(argument: string): void {
  if (argument === '') {
    for (const [name, value] of Object.entries(process.env).sort()) toStdout(`${name}=${value}\n`);
    return;
  }
  const [, name, , value] = /^([^\s=]+)(\s*=\s*|\s+|$)(.*)$/s.exec(argument) ?? [];
  if (name === undefined) throw new MagicError(`%env: expected NAME or NAME=VALUE, not "${argument}"`);
  if (value !== '' || argument.includes('=')) process.env[name] = unquote(value!);
  else if (process.env[name] === undefined)
    throw new MagicError(`%env: the environment has no variable ${name}`);
  toStdout(`${name}=${process.env[name]}\n`);
}

function unquote(text: string): string {
  return /^(["']).*\1$/s.test(text) ? text.slice(1, -1) : text;
}

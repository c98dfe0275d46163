import { accessSync, constants, existsSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** Error that the user can fix: shown as one sentence with cause and fix, without a stack. */
export class CommandFailure extends Error {
  constructor(sentence: string, options?: ErrorOptions) {
    super(sentence, options);
    this.name = 'CommandFailure';
  }
}

/** Replaces a file atomically: after a failure the old one is intact. */
export function replaceFile(file: string, text: string): void {
  const draft = draftOf(file);
  try {
    writeFileSync(draft, text);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
}

/** Throws the system's error if `replaceFile` could not write its draft. */
export function tryToReplace(file: string): void {
  const draft = draftOf(file);
  writeFileSync(draft, '');
  rmSync(draft);
}

function draftOf(file: string): string {
  return join(dirname(file), `.${basename(file)}.${process.pid}`);
}

const DENIED = new Set(['EACCES', 'EPERM', 'EROFS']);
const IN_THE_WAY = new Set(['ENOTDIR', 'EEXIST', 'EISDIR']);

/** Returns the code of a system error, `''` for others. Node reports ENOENT for a folder that it cannot make on a read-only disk. */
function codeOf(error: unknown, path: string): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code !== 'ENOENT') return code;
  let parent = path;
  while (!existsSync(parent)) parent = dirname(parent);
  try {
    accessSync(parent, constants.W_OK);
    return code;
  } catch (denied) {
    return (denied as NodeJS.ErrnoException).code ?? code;
  }
}

const OTHER_PREFIX = 'give --user, or --prefix with a folder that you may write to';

/** Runs `change`, which writes at or below `path`, and converts system errors to sentences; `fix` is for denied access. @throws CommandFailure */
export function writingTo<Value>(path: string, change: () => Value, fix = OTHER_PREFIX): Value {
  try {
    return change();
  } catch (cause) {
    const code = codeOf(cause, path);
    if (DENIED.has(code)) {
      throw new CommandFailure(`${path} cannot be written (${code}): ${fix}.`, { cause });
    }
    if (IN_THE_WAY.has(code)) {
      throw new CommandFailure(`${path} cannot be created, because a file is in the way: remove that file.`, {
        cause
      });
    }
    if (code === '') throw cause;
    throw new CommandFailure(`${path} cannot be written: ${(cause as Error).message}.`, { cause });
  }
}

/** Writes marks into the pipes of stdout and stderr, as long as these are the ones that the front gave. */

import { fstatSync, writeSync } from 'node:fs';
import { encodeMark, markPrefix } from '../protocol/output-marks.ts';

const PIPES = [1, 2];
const prefix = markPrefix(process.pid);
const identities = PIPES.map(identityOf);
let latest = 0;

/** The mark before which native output was written; undefined where a pipe is full, closed or somebody else's. */
export function markNativeOutput(): number | undefined {
  const mark = latest + 1;
  const bytes = encodeMark(prefix, mark);
  for (const [index, fd] of PIPES.entries()) {
    // A program may have put a file in the place of the pipe, which marks would spoil.
    if (identityOf(fd) !== identities[index] || !wrote(fd, bytes)) return undefined;
  }
  latest = mark;
  return mark;
}

function wrote(fd: number, bytes: Buffer): boolean {
  try {
    return writeSync(fd, bytes) === bytes.length;
  } catch {
    return false;
  }
}

function identityOf(fd: number): number | undefined {
  try {
    return fstatSync(fd).ino;
  } catch {
    return undefined;
  }
}

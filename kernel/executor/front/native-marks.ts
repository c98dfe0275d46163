/** Writes marks into the pipes of stdout and stderr, as long as these are the ones that the front gave. */

import { fstatSync, writeSync } from 'node:fs';
import { encodeMark, markPrefix } from '../../protocol/output-marks.ts';

const PIPES = [1, 2];
const prefix = markPrefix(process.pid);
const identities = PIPES.map(identityOf);
/** Marks that may be written within a period; in a flood the order is that in which the pipes deliver. */
const MARKS = 50;
const PERIOD_MS = 20;
let latest = 0;
let left = MARKS;
let periodEnd = 0;

/** The mark before which native output was written; undefined in a flood, and where a pipe is closed or another's. */
export function markNativeOutput(): number | undefined {
  if (left === 0 && Date.now() < periodEnd) return undefined;
  if (left === 0 || periodEnd === 0) {
    left = MARKS;
    periodEnd = Date.now() + PERIOD_MS;
  }
  left -= 1;
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

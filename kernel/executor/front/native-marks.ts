/** Writes marks into the pipes of stdout and stderr, as long as these still lead to the front. */

import { fstatSync, writeSync } from 'node:fs';
import { encodeMark, markPrefix } from '../../protocol/output-marks.ts';

const PIPES = [1, 2];
const prefix = markPrefix(process.pid);
const identities = PIPES.map(identityOf);
/** Maximum marks in one period; beyond that, output is in the order in which the pipes deliver it. */
const MARKS = 50;
const PERIOD_MS = 20;
let latest = 0;
let left = MARKS;
let periodEnd = 0;

/** Returns the mark written after the native output so far; undefined above the limit, or if a pipe was replaced. */
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
    // The descriptor may have been redirected to a file, which marks would corrupt.
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

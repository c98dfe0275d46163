/** Tells users what still runs after an interrupt. */

import type { LeftRunningNotice } from '../../protocol/executor-messages.ts';

const LONGEST_COMMAND = 80;

export function leftRunningText({ programs, threads }: LeftRunningNotice): string {
  const lines = programs.map(({ pid, command }) => {
    const short = command.length > LONGEST_COMMAND ? `${command.slice(0, LONGEST_COMMAND)}…` : command;
    return `A process that a cell started still runs after the interrupt: pid ${pid}, ${short}. To end it: process.kill(${pid}, 'SIGKILL')`;
  });
  if (threads > 0) {
    lines.push(
      `Native code still runs on ${threads} thread${threads === 1 ? '' : 's'} after the interrupt, for instance a query. ` +
        'A database may not answer until it has ended; to end it now, restart the kernel.'
    );
  }
  return lines.map(line => `${line}\n`).join('');
}

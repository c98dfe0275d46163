/** `%time` and `%%time`. */

import { formatDuration } from '../../../src/base/time-text.ts';

/** Runs `work` and prints how long it took by the clock, and on the processor, also when it fails. */
export async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const cpu = process.cpuUsage();
  const begin = process.hrtime.bigint();
  try {
    return await work();
  } finally {
    const wall = Number(process.hrtime.bigint() - begin) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    process.stdout.write(
      `Wall time: ${formatDuration(wall)}, CPU: ${formatDuration(user)} user, ${formatDuration(system)} system\n`
    );
  }
}

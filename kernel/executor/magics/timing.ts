/** `%time` and `%%time`. */

import { formatDuration } from '../../../src/base/time-text.ts';

/** Runs `work` and prints its wall-clock and processor time, even if it fails. */
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

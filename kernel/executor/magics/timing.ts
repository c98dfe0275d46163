/** `%time` and `%%time`. */

const MICRO = 1_000;
const MILLI = 1_000_000;

/** Runs `work` and prints how long it took by the clock, and on the processor, also when it fails. */
export async function timed<Result>(work: () => Promise<Result>): Promise<Result> {
  const cpu = process.cpuUsage();
  const begin = process.hrtime.bigint();
  try {
    return await work();
  } finally {
    const wall = Number(process.hrtime.bigint() - begin);
    const { user, system } = process.cpuUsage(cpu);
    process.stdout.write(
      `Wall time: ${duration(wall)}, CPU: ${duration(user * MICRO)} user, ${duration(system * MICRO)} system\n`
    );
  }
}

function duration(nanoseconds: number): string {
  if (nanoseconds < MILLI) return `${(nanoseconds / MICRO).toFixed(1)} µs`;
  if (nanoseconds < MILLI * MICRO) return `${(nanoseconds / MILLI).toFixed(2)} ms`;
  return `${(nanoseconds / MILLI / MICRO).toFixed(2)} s`;
}

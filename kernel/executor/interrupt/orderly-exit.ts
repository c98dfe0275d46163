/** Ends the process as a normal program ends: handlers of `beforeExit` run, then those of `exit`. */

/** Time for work that `beforeExit` handlers start. */
const GRACE_MS = 1_000;
const LOOK_MS = 5;

export async function exitOrderly(): Promise<never> {
  if (process.listenerCount('beforeExit') > 0) {
    const before = process.getActiveResourcesInfo().length;
    process.emit('beforeExit', 0);
    const end = performance.now() + GRACE_MS;
    // This timer counts as a resource itself.
    do await new Promise(resolve => setTimeout(resolve, LOOK_MS));
    while (process.getActiveResourcesInfo().length > before && performance.now() < end);
  }
  process.exit();
}

/** Ends this process and the child processes of cells, which are in its group. */
export function endGroup(): void {
  process.kill(-process.pid, 'SIGKILL');
}

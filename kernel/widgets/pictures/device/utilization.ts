/** Utilization of a GPU by all processes, as nvidia-smi reports it once a second; CUDA has no such figure. */

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Utilization {
  readonly #uuid: string;
  readonly #command: string;
  #child: ChildProcess | undefined;
  /** Utilization in the last second; null before the first value, or if nvidia-smi is missing or reports none (a MIG instance). */
  percent: number | null = null;

  /** Constructs the monitor. `uuid`: the device's UUID, as nvidia-smi prints it. */
  constructor(uuid: string, command = 'nvidia-smi') {
    this.#uuid = uuid;
    this.#command = command;
  }

  start(): void {
    if (this.#child !== undefined) return;
    const query = ['--query-gpu=utilization.gpu', '--format=csv,noheader,nounits', '--loop=1'];
    const child = spawn(this.#command, [`--id=${this.#uuid}`, ...query], {
      stdio: ['ignore', 'pipe', 'ignore']
    });
    this.#child = child;
    // Without nvidia-smi there is no value.
    child.on('error', () => undefined);
    child.on('close', () => {
      if (this.#child === child) this.percent = null;
    });
    createInterface(child.stdout).on('line', line => {
      const told = line.trim();
      if (this.#child === child) this.percent = /^\d+$/.test(told) ? Number(told) : null;
    });
    // The child does not keep the kernel alive.
    child.unref();
  }

  stop(): void {
    this.#child?.kill();
    this.#child = undefined;
    this.percent = null;
  }
}

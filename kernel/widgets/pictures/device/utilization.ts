/**
 * How busy a GPU is, whoever uses it, as nvidia-smi tells it once a second. CUDA has no such number, and NVML would be one more library to
 * open in this process.
 */

import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

export class Utilization {
  readonly #uuid: string;
  readonly #command: string;
  #child: ChildProcess | undefined;
  #percent: number | null = null;

  /** `uuid`: as nvidia-smi names the device. */
  constructor(uuid: string, command = 'nvidia-smi') {
    this.#uuid = uuid;
    this.#command = command;
  }

  /** Of the last second; null before the first answer, and where nvidia-smi is missing or does not tell, as of a slice of a GPU. */
  get percent(): number | null {
    return this.#percent;
  }

  start(): void {
    if (this.#child !== undefined) return;
    const query = ['--query-gpu=utilization.gpu', '--format=csv,noheader,nounits', '--loop=1'];
    const child = spawn(this.#command, [`--id=${this.#uuid}`, ...query], {
      stdio: ['ignore', 'pipe', 'ignore']
    });
    this.#child = child;
    // Without nvidia-smi there is nothing to tell.
    child.on('error', () => undefined);
    child.on('close', () => {
      if (this.#child === child) this.#percent = null;
    });
    createInterface(child.stdout).on('line', line => {
      const told = line.trim();
      if (this.#child === child) this.#percent = /^\d+$/.test(told) ? Number(told) : null;
    });
    // A kernel that ends does not wait for it.
    child.unref();
  }

  stop(): void {
    this.#child?.kill();
    this.#child = undefined;
    this.#percent = null;
  }
}

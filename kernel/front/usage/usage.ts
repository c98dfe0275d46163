/** Answers `usage_request`: processor and memory of the kernel and the machine under psutil's names, and memory of the GPUs in use. */

import { availableParallelism, cpus, freemem, hostname, totalmem } from 'node:os';
import type { DeviceUsage, FromExecutor } from '../../protocol/executor-messages.ts';
import type { ProcessUsage } from './process-tree.ts';

/** Timeout for the executor, which answers between two turns of its event loop; a computing cell delays that. */
const DEVICES_WITHIN_MS = 100;

export class Usage {
  readonly #askDevices: () => void;
  /** Processor time of each process at the last request, and the time of that request. */
  #cpu = new Map<number, number>();
  #at = 0;
  #usesDevices = false;
  #heard: ((devices: readonly DeviceUsage[]) => void)[] = [];

  /** Constructs it. `askDevices` has the executor send `device-usage`. */
  constructor(askDevices: () => void) {
    this.#askDevices = askDevices;
  }

  async content(): Promise<object> {
    const { processTree } = await import('./process-tree.ts');
    const [processes, devices] = await Promise.all([processTree(process.pid), this.#devices()]);
    const hostCpu = hostCpuPercent();
    return {
      status: 'ok',
      hostname: hostname(),
      pid: process.pid,
      ...this.#kernel(processes),
      ...(hostCpu === undefined ? {} : { host_cpu_percent: hostCpu }),
      cpu_count: availableParallelism(),
      host_virtual_memory: virtualMemory(),
      ...(devices === undefined ? {} : { gpu_memory: devices })
    };
  }

  heard(message: FromExecutor & { readonly kind: 'device-used' | 'device-usage' }): void {
    this.#usesDevices = true;
    if (message.kind === 'device-usage') for (const tell of this.#heard.splice(0)) tell(message.devices);
  }

  /** Forgets the devices: the process that used them has exited. */
  forgetDevices(): void {
    this.#usesDevices = false;
  }

  #kernel(processes: readonly ProcessUsage[]): object {
    const now = performance.now();
    let used = 0;
    for (const { pid, cpu } of processes) used += Math.max(0, cpu - (this.#cpu.get(pid) ?? 0));
    // The first figure is meaningless, as psutil's is.
    const percent = this.#at === 0 ? 0 : percentOf(used, now - this.#at);
    this.#at = now;
    this.#cpu = new Map(processes.map(({ pid, cpu }) => [pid, cpu]));
    return { kernel_cpu: percent, kernel_memory: processes.reduce((sum, { memory }) => sum + memory, 0) };
  }

  /** Asks for the devices; undefined if none is in use, or the executor is busy. */
  #devices(): Promise<readonly DeviceUsage[] | undefined> | undefined {
    if (!this.#usesDevices) return undefined;
    return new Promise(resolve => {
      setTimeout(() => resolve(undefined), DEVICES_WITHIN_MS);
      this.#heard.push(resolve);
      this.#askDevices();
    });
  }
}

interface CpuTimes {
  readonly busy: number;
  readonly all: number;
}

function virtualMemory(): object {
  const total = totalmem();
  // Memory available without swapping, caches included.
  const available = freemem();
  const used = total - available;
  return { total, available, used, percent: percentOf(used, total) };
}

let before: CpuTimes | undefined;

/** Returns the usage in percent since the last call, over all processors; undefined at the first call. */
function hostCpuPercent(): number | undefined {
  const last = before;
  const now = cpuTimes();
  before = now;
  return last === undefined || now.all === last.all
    ? undefined
    : percentOf(now.busy - last.busy, now.all - last.all);
}

function percentOf(part: number, whole: number): number {
  return Math.round((part / whole) * 1_000) / 10;
}

function cpuTimes(): CpuTimes {
  let all = 0;
  let idle = 0;
  for (const { times } of cpus()) {
    all += times.user + times.nice + times.sys + times.idle + times.irq;
    idle += times.idle;
  }
  return { busy: all - idle, all };
}

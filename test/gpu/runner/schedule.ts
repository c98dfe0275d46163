/** Which test file runs next, and on which devices. */

/** What a file needs; the words before `.test.ts` of its name state it. */
export interface Job {
  /** Path of the file. */
  readonly file: string;
  /** `2/8`: the second of eight processes that share the tests of the file. Null if one process runs all. */
  readonly part: string | null;
  /** Whether it needs its devices for itself: `NAME.alone.test.ts`. */
  readonly alone: boolean;
  /** Whether it uses all devices: `NAME.all.test.ts`; other files use one. */
  readonly all: boolean;
}

/** The jobs of a file, whose name may contain `parts`. */
export function jobsOf(file: string, parts: number): Job[] {
  const words = file.split('.').slice(1);
  const needs = { file, alone: words.includes('alone'), all: words.includes('all') };
  if (!words.includes('parts') || parts < 2) return [{ ...needs, part: null }];
  return Array.from({ length: parts }, (_, index) => ({ ...needs, part: `${index + 1}/${parts}` }));
}

export interface Limits {
  /** Processes that run at a time. */
  readonly jobs: number;
  /** Of these, processes on each device. */
  readonly slots: readonly number[];
}

/** Gives each job its devices. Files that share devices start first, because an idle device is rare while they run. */
export class Schedule {
  readonly #pending: Job[];
  readonly #slots: readonly number[];
  readonly #jobs: number;
  /** Jobs that run on each device. */
  readonly #running: Job[][];

  constructor(jobs: readonly Job[], { jobs: most, slots }: Limits) {
    const rank = (job: Job): number =>
      job.alone ? (job.all ? 4 : 3) : job.all ? 0 : job.part === null ? 2 : 1;
    this.#pending = [...jobs].sort((a, b) => rank(a) - rank(b));
    this.#jobs = most;
    this.#slots = slots;
    this.#running = slots.map(() => []);
  }

  /** Starts a job: returns it with the indexes of its devices, or undefined if none can start before another ends. */
  start(): { readonly job: Job; readonly devices: readonly number[] } | undefined {
    if (new Set(this.#running.flat()).size >= this.#jobs) return undefined;
    for (const [index, job] of this.#pending.entries()) {
      const devices = this.#place(job);
      if (devices === undefined) continue;
      this.#pending.splice(index, 1);
      for (const device of devices) this.#running[device]?.push(job);
      return { job, devices };
    }
    return undefined;
  }

  end(job: Job): void {
    for (const running of this.#running) {
      const index = running.indexOf(job);
      if (index >= 0) running.splice(index, 1);
    }
  }

  #place(job: Job): readonly number[] | undefined {
    const free = [...this.#running.keys()].filter(device => this.#takes(device, job));
    if (job.all) return free.length === this.#running.length ? free : undefined;
    const load = (device: number): number => this.#running[device]?.length ?? 0;
    const [least] = free.sort((a, b) => load(a) - load(b));
    return least === undefined ? undefined : [least];
  }

  #takes(device: number, job: Job): boolean {
    const running = this.#running[device] ?? [];
    if (job.alone) return running.length === 0;
    return running.length < (this.#slots[device] ?? 0) && !running.some(({ alone }) => alone);
  }
}

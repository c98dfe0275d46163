/** Writes a row for each allocation, each free and each failure (rule 218). */

import { appendFileSync, writeFileSync } from 'node:fs';

import type { Device } from '../../core/device.ts';
import type { MemoryManagerClass } from '../manager/base.ts';
import type { Allocation } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';
import { layouts, type LogEvent, type LogLayout } from './log-layouts.ts';

/** Options of `LoggingAdaptor`. */
export interface LoggingOptions {
  /**
   * The file name; each device has its own file, for example `log.dev0.csv` for `log.csv`. Default: STRIDELAB_MEMORY_LOG, otherwise
   * `stridelab-memory.csv`.
   */
  readonly path?: string;
  /** The columns: those of RMM (`rmm`, the default), or of NBEP 7 (`nbep7`). */
  readonly layout?: LogLayout;
  /** Whether each row is written immediately, so that a crash loses none; otherwise rows are buffered. Default false. */
  readonly flush?: boolean;
}

const ROWS_TO_WRITE = 1000;

/** A file of rows under a header, which each program overwrites. */
class LogFile {
  readonly #path: string;
  readonly #always: boolean;
  #rows: string[] = [];

  constructor(path: string, header: string, always: boolean) {
    this.#path = path;
    this.#always = always;
    writeFileSync(path, `${header}\n`);
    process.once('exit', () => this.flush());
  }

  write(row: string): void {
    this.#rows.push(row);
    if (this.#always || this.#rows.length >= ROWS_TO_WRITE) this.flush();
  }

  flush(): void {
    if (this.#rows.length === 0) return;
    const text = `${this.#rows.join('\n')}\n`;
    this.#rows = [];
    appendFileSync(this.#path, text);
  }
}

/** Writes every allocation and free to a CSV file. */
export class LoggingAdaptor extends MemoryManagerAdaptor {
  /** The file of this device. */
  readonly path: string;
  readonly #file: LogFile;
  readonly #layout: LogLayout;
  #current = 0;

  constructor(context: Device, upstream?: MemoryManagerClass, options: LoggingOptions = {}) {
    super(context, upstream);
    this.#layout = options.layout ?? 'rmm';
    const path = options.path ?? process.env['STRIDELAB_MEMORY_LOG'] ?? 'stridelab-memory.csv';
    this.path = pathForDevice(path, context);
    this.#file = new LogFile(this.path, layouts[this.#layout].header, options.flush ?? false);
  }

  /** Writes the buffered rows to the file. */
  flush(): void {
    this.#file.flush();
  }

  override reset(): void {
    super.reset();
    this.#current = 0;
  }

  protected override allocate<M extends Allocation>(request: Request, attempt: () => M): M {
    const start = performance.now();
    let memory: M;
    try {
      memory = attempt();
    } catch (error) {
      this.#log('allocate failure', request, 0n, start);
      throw error;
    }
    this.#current++;
    this.#log('allocate', request, memory.pointer, start);
    return memory;
  }

  protected override freed(request: Request, pointer: bigint): void {
    this.#current--;
    this.#log('free', request, pointer, performance.now());
  }

  #log(action: LogEvent['action'], request: Request, pointer: bigint, start: number): void {
    const end = performance.now();
    const { context } = this;
    const event = { action, request, pointer, start, end, context, currentAllocations: this.#current };
    this.#file.write(layouts[this.#layout].row(event));
  }
}

/** Inserts the device before the extension, like RMM. Devices of other drivers are named by their label. */
function pathForDevice(path: string, { label, ordinal }: Device): string {
  const suffix = label.startsWith('cuda') ? `dev${ordinal}` : label.replace(':', '');
  const dot = path.lastIndexOf('.');
  const named = dot > Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1;
  return named ? `${path.slice(0, dot)}.${suffix}${path.slice(dot)}` : `${path}.${suffix}`;
}

export { LoggingAdaptor as _stridelab_memory_manager };

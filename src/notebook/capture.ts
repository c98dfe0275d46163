/** Captures what a piece of code prints and displays: `capture`. */

import { AsyncLocalStorage } from 'node:async_hooks';

import {
  notebookHost,
  type MimeBundle,
  type MimeMetadata,
  type OutputCapture,
  type OutputSink
} from './host.ts';

/** One display that `capture` caught. */
export interface CapturedDisplay {
  /** The representations by MIME type. */
  readonly data: MimeBundle;
  /** The metadata by MIME type. */
  readonly metadata: MimeMetadata;
  /** The id by which later displays can replace it; undefined if none was given. */
  readonly displayId: string | undefined;
}

/** The result of `capture`. */
export interface Captured<Value> {
  /** Text that was written to standard output. */
  readonly stdout: string;
  /** Text that was written to standard error. */
  readonly stderr: string;
  /** The displays, in order; an update replaces the display that it updates. */
  readonly displays: readonly CapturedDisplay[];
  /** The value that the code returned. */
  readonly value: Value;
}

class Collected implements OutputSink {
  stdout = '';
  stderr = '';
  displays: CapturedDisplay[] = [];
  #clearNext = false;

  stream(name: 'stdout' | 'stderr', text: string): void {
    this.#clearIfDue();
    this[name] += text;
  }

  message(type: string, content: Readonly<Record<string, unknown>>): void {
    if (type === 'clear_output') {
      this.#clearNext = true;
      if (content['wait'] !== true) this.#clearIfDue();
      return;
    }
    this.#clearIfDue();
    const shown = captured(content);
    if (type !== 'update_display_data') {
      this.displays.push(shown);
      return;
    }
    this.displays = this.displays.map(earlier => (earlier.displayId === shown.displayId ? shown : earlier));
  }

  #clearIfDue(): void {
    if (!this.#clearNext) return;
    this.#clearNext = false;
    this.stdout = this.stderr = '';
    this.displays = [];
  }
}

function captured(content: Readonly<Record<string, unknown>>): CapturedDisplay {
  const { data, metadata, transient } = content as {
    data: MimeBundle;
    metadata: MimeMetadata;
    transient?: { display_id?: string };
  };
  return { data, metadata, displayId: transient?.display_id };
}

/**
 * Runs `work` and returns what it printed and showed, also after its awaits, instead of showing it. Output of native code and child
 * processes is not captured. If `work` throws, its output so far is shown and the error is rethrown.
 */
export async function capture<Value>(work: () => Value | PromiseLike<Value>): Promise<Captured<Value>> {
  const sink = new Collected();
  const host = notebookHost();
  const capturing = host?.beginCapture?.(sink) ?? captureProcess(sink);
  try {
    const value = await capturing.run(work);
    capturing.end();
    const { stdout, stderr, displays } = sink;
    return { stdout, stderr, displays, value };
  } catch (error) {
    capturing.end();
    process.stdout.write(sink.stdout);
    process.stderr.write(sink.stderr);
    for (const { data, metadata } of sink.displays) host?.display(data, { metadata, update: false });
    throw error;
  }
}

interface OpenSink {
  readonly sink: OutputSink;
  ended: boolean;
}

const sinks = new AsyncLocalStorage<OpenSink>();
let active = 0;
let restore: (() => void)[] = [];

/** Replaces the writes of `process.stdout` and `process.stderr` while a capture is open, outside a notebook. */
function captureProcess(sink: OutputSink): OutputCapture {
  const open: OpenSink = { sink, ended: false };
  active += 1;
  if (active === 1) restore = [intercept('stdout'), intercept('stderr')];
  return {
    run: work => sinks.run(open, work),
    end() {
      open.ended = true;
      active -= 1;
      if (active === 0) for (const undo of restore) undo();
    }
  };
}

function intercept(name: 'stdout' | 'stderr'): () => void {
  const stream = process[name];
  const write = stream.write;
  stream.write = (chunk: string | Uint8Array, ...others: unknown[]): boolean => {
    const open = sinks.getStore();
    if (open === undefined || open.ended) return Reflect.apply(write, stream, [chunk, ...others]) as boolean;
    open.sink.stream(name, typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString());
    const done = others.find(argument => typeof argument === 'function');
    if (done !== undefined) process.nextTick(done);
    return true;
  };
  return () => (stream.write = write);
}

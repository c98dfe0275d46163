/**
 * The hook by which a notebook kernel gives the library somewhere to show things. The library never imports the
 * kernel: a kernel attaches a host, and without one `display` and `inspect` print text.
 */

import type { Payload } from './payload.ts';

/** MIME type to content, as Jupyter's messages carry it: text, or JSON for `+json` types. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** What belongs to a bundle without being content: `{ 'image/png': { width: 320 } }`. */
export type MimeMetadata = Readonly<Record<string, unknown>>;

/** An object with this method chooses how a notebook shows it; the symbol is the one Deno's kernel introduced. */
export const DISPLAY_METHOD: unique symbol = Symbol.for('Jupyter.display') as never;

/** A bundle, or a bundle with its metadata as IPython's `_repr_mimebundle_` gives it. */
export type DisplayResult = MimeBundle | readonly [MimeBundle, MimeMetadata];

export interface Displayable {
  [DISPLAY_METHOD](): DisplayResult | Promise<DisplayResult>;
}

export interface DisplayDetails {
  readonly metadata: MimeMetadata;
  /** By which a later display replaces this one. */
  readonly displayId?: string;
  /** Replaces what was shown under this `displayId`. */
  readonly update: boolean;
}

/** Where output goes while it is captured. */
export interface OutputSink {
  stream(name: 'stdout' | 'stderr', text: string): void;
  /** A `display_data`, `update_display_data`, `execute_result` or `clear_output` of the Jupyter protocol. */
  message(type: string, content: Readonly<Record<string, unknown>>): void;
}

export interface OutputCapture {
  /** Runs `work` with everything it shows, also after its awaits, given to the sink. */
  run<Result>(work: () => Result): Result;
  /** Gives the sink what is still underway. Output that comes later goes where it went before. */
  end(): void;
}

/** Places of a second view: beside the notebook, below it, in a tab over it, or in the right sidebar. */
export const PLACES = ['right', 'below', 'tab', 'sidebar'] as const;
export type Place = (typeof PLACES)[number];

/** A live picture, as the kernel has it. */
export interface OpenPicture {
  readonly closed: boolean;
  openTab(tab: string): void;
  place(where: Place): void;
  close(): void;
}

export interface NotebookHost {
  /** Shows a bundle in the cell that is running. */
  display(bundle: MimeBundle, details?: DisplayDetails): void;
  /** Opens the live picture of a value in the cell that is running, and calls `opened` once it is. */
  inspect(value: object, opened: (picture: OpenPicture) => void): void;
  /** Sends a message of the Jupyter protocol on iopub for the cell that is running. */
  publish?(
    type: string,
    content: Readonly<Record<string, unknown>>,
    metadata?: MimeMetadata,
    buffers?: readonly Uint8Array[]
  ): void;
  /** The end of the running cell waits for `work`, which never rejects. */
  holdCell?(work: Promise<unknown>): void;
  /** Sends to `sink` what code shows, in place of its cell. */
  beginCapture?(sink: OutputSink): OutputCapture;
  /** An error as it reads in a notebook: its message and the frames that are the user's. */
  describeError?(error: Error): string;
  /** The cell that has `text` in its source, and the line (from 1) where it begins; null where none has. */
  locate?(text: string): { readonly cell: string; readonly line: number } | null;
  /** The cell that the running code belongs to, also after its awaits: `In [3]`. Undefined for code of no counted cell. */
  cell?(): string | undefined;
  /** Aborted when the cell that the running code belongs to is interrupted. */
  cellSignal?(): AbortSignal | undefined;
  /** The frames of a V8 stack that are the user's, as places in the notebook. */
  showStack?(stack: string): readonly string[];
  /** A line typed by the person in front of the notebook. Rejects with `StdinNotImplementedError` or `StdinClosedError`. */
  ask?(prompt: string, password: boolean): Promise<string>;
  /**
   * The same, and everything else in the process waits. Throws what `ask` rejects with. Undefined where `givesUp` says so, which
   * is asked whenever an interrupt comes.
   */
  askBlocking?(prompt: string, password?: boolean, givesUp?: () => boolean): string | undefined;
  /** Told once of each device that the process has memory on. */
  deviceUsed?(device: object): void;
  /** The notebook's variables, by name, as they are now. */
  variables?(): Readonly<Record<string, unknown>>;
  /** Goes to the frontend with the cell's reply. */
  payload?(payload: Payload): void;
}

const HOST_KEY = Symbol.for('stridelab.notebook-host');
type HostRegistry = { [HOST_KEY]?: NotebookHost | undefined };

/** Called by the kernel. Kept on the global object so that two copies of the package share one host (rule 234). */
export function attachNotebookHost(host: NotebookHost | undefined): void {
  (globalThis as HostRegistry)[HOST_KEY] = host;
}

/** The attached host, or undefined in a plain program. */
export function notebookHost(): NotebookHost | undefined {
  return (globalThis as HostRegistry)[HOST_KEY];
}

/** The interface between the library and a notebook kernel, which attaches a host. Without one, `display` and `inspect` print text. */

import type { Payload } from './payload.ts';

/** Representations of one value by MIME type, as in Jupyter's messages: text, or JSON for `+json` types. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** Metadata of a MIME bundle by MIME type, such as `{ 'image/png': { width: 320 } }`. */
export type MimeMetadata = Readonly<Record<string, unknown>>;

/** The symbol of the method with which an object decides how a notebook shows it, as in Deno's kernel. */
export const DISPLAY_METHOD: unique symbol = Symbol.for('Jupyter.display') as never;

/** Result of a display method: a MIME bundle, or a bundle with metadata, as IPython's `_repr_mimebundle_` does. */
export type DisplayResult = MimeBundle | readonly [MimeBundle, MimeMetadata];

/** An object that decides how a notebook shows it. */
export interface Displayable {
  [DISPLAY_METHOD](): DisplayResult | Promise<DisplayResult>;
}

export interface DisplayDetails {
  readonly metadata: MimeMetadata;
  /** The id by which a later display replaces this one. */
  readonly displayId?: string;
  /** Whether to replace the display with this `displayId`. */
  readonly update: boolean;
}

/** The receiver of captured output. */
export interface OutputSink {
  stream(name: 'stdout' | 'stderr', text: string): void;
  /** Receives a `display_data`, `update_display_data`, `execute_result` or `clear_output` of the Jupyter protocol. */
  message(type: string, content: Readonly<Record<string, unknown>>): void;
}

export interface OutputCapture {
  /** Runs `work` and sends everything it shows, also after its awaits, to the sink. */
  run<Result>(work: () => Result): Result;
  /** Flushes pending output to the sink. Later output goes to its previous destination. */
  end(): void;
}

/** Places of a second view: beside the notebook, below it, in a tab over it, or in the right sidebar. */
export const PLACES = ['right', 'below', 'tab', 'sidebar'] as const;
export type Place = (typeof PLACES)[number];

/** A live picture in the kernel. */
export interface OpenPicture {
  readonly closed: boolean;
  openTab(tab: string): void;
  place(where: Place): void;
  close(): void;
}

/** Functions that a notebook kernel provides to the library. */
export interface NotebookHost {
  /** Shows a MIME bundle in the running cell. */
  display(bundle: MimeBundle, details?: DisplayDetails): void;
  /** Opens the live picture of a value in the running cell, and calls `opened` when it is open. */
  inspect(value: object, opened: (picture: OpenPicture) => void): void;
  /** Sends a message of the Jupyter protocol on iopub, on behalf of the running cell. */
  publish?(
    type: string,
    content: Readonly<Record<string, unknown>>,
    metadata?: MimeMetadata,
    buffers?: readonly Uint8Array[]
  ): void;
  /** Renders an element of React or Preact with the package that made it; undefined for other values. */
  renderElement?(value: object): Promise<MimeBundle> | undefined;
  /** Keeps the running cell from finishing before `work`, which never rejects, is settled. */
  holdCell?(work: Promise<unknown>): void;
  /** Redirects what the running code prints and shows to `sink`, instead of its cell. */
  beginCapture?(sink: OutputSink): OutputCapture;
  /** Formats an error for a notebook: its message and the user's stack frames. */
  describeError?(error: Error): string;
  /** Returns the cell whose source contains `text`, and the line (from 1) where it begins; null if no cell does. */
  locate?(text: string): { readonly cell: string; readonly line: number } | null;
  /** Returns the label of the running code's cell, such as `In [3]`, also after an await; undefined outside counted cells. */
  cell?(): string | undefined;
  /** Returns a signal that is aborted when the cell that the running code belongs to is interrupted. */
  cellSignal?(): AbortSignal | undefined;
  /** Returns the user's frames of a V8 stack, as places in the notebook. */
  showStack?(stack: string): readonly string[];
  /** Asks the notebook's user for a line of text. Rejects with `StdinNotImplementedError` or `StdinClosedError`. */
  ask?(prompt: string, password: boolean): Promise<string>;
  /**
   * Asks the notebook's user for a line of text and blocks JavaScript until the answer arrives. Throws `StdinNotImplementedError` or
   * `StdinClosedError`. After each interrupt it calls `givesUp`, and returns undefined if that returns true.
   */
  askBlocking?(prompt: string, password?: boolean, givesUp?: () => boolean): string | undefined;
  /** Called once for each device on which the process allocates memory. */
  deviceUsed?(device: object): void;
  /** Returns the notebook's variables by name. */
  variables?(): Readonly<Record<string, unknown>>;
  /** Sends a payload to the frontend with the cell's reply. */
  payload?(payload: Payload): void;
}

const HOST_KEY = Symbol.for('stridelab.notebook-host');
type HostRegistry = { [HOST_KEY]?: NotebookHost | undefined };

/** Connects the library to a notebook kernel, which calls this. The global object keeps the host for all copies of the package (rule 234). */
export function attachNotebookHost(host: NotebookHost | undefined): void {
  (globalThis as HostRegistry)[HOST_KEY] = host;
}

/** Returns the attached host, or undefined in a plain program. */
export function notebookHost(): NotebookHost | undefined {
  return (globalThis as HostRegistry)[HOST_KEY];
}

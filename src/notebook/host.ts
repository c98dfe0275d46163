/**
 * The hook by which a notebook kernel gives the library somewhere to show things. The library never imports the
 * kernel: a kernel attaches a host, and without one `display` and `inspect` print text.
 */

import type { NDArray } from '../array.ts';
import type { Device } from '../device.ts';
import type { Payload } from './payload.ts';

/** MIME type to content, as Jupyter's messages carry it: text, or JSON for `+json` types. */
export type MimeBundle = Readonly<Record<string, unknown>>;

/** An object with this method chooses how a notebook shows it; the symbol is the one Deno's kernel introduced. */
export const DISPLAY_METHOD: unique symbol = Symbol.for('Jupyter.display') as never;

export interface Displayable {
  [DISPLAY_METHOD](): MimeBundle | Promise<MimeBundle>;
}

export interface NotebookHost {
  /** Shows a bundle in the cell that is running. */
  display(bundle: MimeBundle): void;
  /** Opens the live widget of an array in the cell that is running. */
  inspect(array: NDArray): void;
  /** The cell that has `text` in its source, and the line (from 1) where it begins; null where none has. */
  locate?(text: string): { readonly cell: string; readonly line: number } | null;
  /** The cell that the running code belongs to, also after its awaits: `In [3]`. Undefined for code of no counted cell. */
  cell?(): string | undefined;
  /** The frames of a V8 stack that are the user's, as places in the notebook. */
  showStack?(stack: string): readonly string[];
  /** A line typed by the person in front of the notebook. Rejects with `StdinNotImplementedError` or `StdinClosedError`. */
  ask?(prompt: string, password: boolean): Promise<string>;
  /** The same, and everything else in the process waits. Throws what `ask` rejects with. */
  askBlocking?(prompt: string): string;
  /** Told once of each device that the process has memory on. */
  deviceUsed?(device: Device): void;
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

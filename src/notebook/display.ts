/** `display` and `clearOutput`: in a notebook they show pictures, in a plain program they print text. */

import { randomUUID } from 'node:crypto';

import {
  DISPLAY_METHOD,
  notebookHost,
  type DisplayResult,
  type MimeBundle,
  type MimeMetadata
} from './host.ts';
import { checkedBundle } from './mime-bundle.ts';
import { render, type Rendering } from './rendering.ts';
import { printed } from './rich.ts';

/** Options of `display`. */
export interface DisplayOptions {
  /** Whether the value is itself a MIME bundle: `display({ 'text/html': '<b>…</b>' }, { raw: true })`. */
  readonly raw?: boolean;
  /** Metadata by MIME type, such as `{ 'image/png': { width: 320 } }`. */
  readonly metadata?: MimeMetadata;
  /** The id by which later displays replace this one; generated if left out. */
  readonly displayId?: string;
  /** Whether to replace the display with this `displayId`, also of an earlier cell; shows nothing if there is none. */
  readonly update?: boolean;
}

/** A display that can be replaced. */
export class DisplayHandle {
  /** The id that identifies the display in Jupyter's messages. */
  readonly displayId: string;

  constructor(displayId: string) {
    this.displayId = displayId;
  }

  /** Replaces the display with `value`. Resolves when the message is sent. */
  update(value: unknown, options: Pick<DisplayOptions, 'raw' | 'metadata'> = {}): Promise<void> {
    return show(value, { ...options, displayId: this.displayId, update: true });
  }

  /** Shows nothing for a handle that ends a cell. */
  [DISPLAY_METHOD](): DisplayResult {
    return {};
  }
}

/** A display handle that can be awaited, for values that render asynchronously. */
export class PendingDisplay extends DisplayHandle implements PromiseLike<DisplayHandle> {
  readonly #shown: Promise<void>;

  constructor(displayId: string, shown: Promise<void>) {
    super(displayId);
    this.#shown = shown;
  }

  /** Settles when the value is shown: fulfilled with its handle, rejected if rendering failed. */
  then<Result = DisplayHandle, Failure = never>(
    fulfilled?: ((handle: DisplayHandle) => Result | PromiseLike<Result>) | null,
    rejected?: ((reason: unknown) => Failure | PromiseLike<Failure>) | null
  ): Promise<Result | Failure> {
    return this.#shown.then(() => new DisplayHandle(this.displayId)).then(fulfilled, rejected);
  }
}

/**
 * Shows `value` in the running cell with every MIME type that it offers, or prints it as text outside a notebook. Values that render
 * asynchronously are shown when they are ready: await the handle, or the cell waits for them at its end.
 * @throws TypeError for `raw` with anything but a MIME bundle, and for `update` without a `displayId`
 */
export function display(value: unknown, options: DisplayOptions = {}): PendingDisplay {
  if (options.update === true && options.displayId === undefined)
    throw new TypeError('display: update needs the displayId of the display to replace');
  const displayId = options.displayId ?? randomUUID();
  return new PendingDisplay(displayId, show(value, { ...options, displayId }));
}

/** Clears the output of the running cell; with `wait`, when the next output arrives. Does nothing outside a notebook. */
export function clearOutput({ wait = false } = {}): void {
  notebookHost()?.publish?.('clear_output', { wait });
}

type Placed = DisplayOptions & { readonly displayId: string };

function show(value: unknown, options: Placed): Promise<void> {
  const rendering =
    options.raw === true
      ? { data: checkedBundle(value), metadata: {} }
      : render(value, { colors: colored() });
  if (!(rendering instanceof Promise)) {
    send(rendering, options);
    return Promise.resolve();
  }
  const sent = rendering.then(result => send(result, options));
  notebookHost()?.holdCell?.(sent);
  return sent;
}

function send(rendering: Rendering, options: Placed): void {
  const { data, metadata, problem, late } = rendering;
  if (Object.keys(data).length > 0) publish(data, { ...metadata, ...options.metadata }, options);
  if (problem !== undefined) process.stderr.write(`${problem}\n`);
  void late?.then(result => send(result, { ...options, update: true }));
}

function publish(data: MimeBundle, metadata: MimeMetadata, { displayId, update = false }: Placed): void {
  const host = notebookHost();
  if (host !== undefined) host.display(data, { metadata, displayId, update });
  else process.stdout.write(`${printed(data)}\n`);
}

const colored = (): boolean => notebookHost() !== undefined || process.stdout.hasColors?.() === true;

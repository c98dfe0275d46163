/** The functions of `Deno.jupyter`, for code that was written for Deno's kernel. */

import { display as show } from './display.ts';
import { textOf } from './escape.ts';
import {
  DISPLAY_METHOD,
  notebookHost,
  type Displayable,
  type MimeBundle as MediaBundle,
  type MimeMetadata
} from './host.ts';
import { image } from './image.ts';
import { Markup, md } from './markup.ts';
import { render } from './rendering.ts';

export { DISPLAY_METHOD as $display, image, md };
export type { Displayable, MediaBundle };

/** Options of `Deno.jupyter.display`. */
export interface DisplayOptions {
  /** Whether the value is itself a MIME bundle. */
  readonly raw?: boolean | undefined;
  /** Whether to replace the display with this `display_id`. */
  readonly update?: boolean | undefined;
  /** The id by which later displays replace this one. */
  readonly display_id?: string | undefined;
}

/** What `Deno.jupyter.broadcast` sends beside the content. */
export interface BroadcastExtra {
  readonly metadata?: MimeMetadata;
  readonly buffers?: readonly Uint8Array[];
}

/** Shows `value` in the running cell; with `raw` it is a MIME bundle. */
export async function display(
  value: unknown,
  { display_id, raw, update }: DisplayOptions = {}
): Promise<void> {
  await show(value, {
    raw: raw === true,
    update: update === true,
    ...(display_id !== undefined && { displayId: display_id })
  });
}

/** Returns the MIME bundle with which `value` is shown. */
export async function format(value: unknown): Promise<MediaBundle> {
  return (await render(value)).data;
}

/** Sends a message on iopub. Throws outside a notebook. */
export function broadcast(
  type: string,
  content: Readonly<Record<string, unknown>>,
  { metadata = {}, buffers = [] }: BroadcastExtra = {}
): Promise<void> {
  const publish = notebookHost()?.publish;
  if (publish === undefined) throw new Error('jupyter.broadcast: this code does not run in a notebook');
  publish(type, content, metadata, buffers);
  return Promise.resolve();
}

/** A template tag for HTML. Texts are inserted unchanged, as in Deno; `html` of `stridelab/notebook` escapes them. */
export const html = unescaped('text/html');

/** A template tag for SVG. Texts are inserted unchanged, as in Deno; `svg` of `stridelab/notebook` escapes them. */
export const svg = unescaped('image/svg+xml');

/** Makes a template tag that inserts values as text, and nothing for null, undefined and false. */
export function unescaped(type: string): (strings: TemplateStringsArray, ...values: unknown[]) => Markup {
  return (strings, ...values) => new Markup(type, String.raw({ raw: strings }, ...values.map(inserted)));
}

function inserted(value: unknown): string {
  return value === null || value === undefined || value === false ? '' : textOf(value);
}

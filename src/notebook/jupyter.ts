/** `jupyter`, the counterpart of `Deno.jupyter`, for code that was written for Deno's kernel. */

import { display as show } from './display.ts';
import { DISPLAY_METHOD, notebookHost, type MimeBundle, type MimeMetadata } from './host.ts';
import { image } from './image.ts';
import { html, md, svg } from './markup.ts';
import { render } from './rendering.ts';

interface DenoDisplayOptions {
  readonly raw?: boolean;
  readonly update?: boolean;
  readonly display_id?: string;
}

interface BroadcastExtra {
  readonly metadata?: MimeMetadata;
  readonly buffers?: readonly Uint8Array[];
}

async function display(value: unknown, options: DenoDisplayOptions = {}): Promise<void> {
  const { display_id, ...others } = options;
  await show(value, { ...others, ...(display_id !== undefined && { displayId: display_id }) });
}

/** Returns the MIME bundle with which `value` is shown. */
async function format(value: unknown): Promise<MimeBundle> {
  return (await render(value)).data;
}

/** Sends a message on iopub. Throws outside a notebook. */
function broadcast(
  type: string,
  content: Readonly<Record<string, unknown>>,
  { metadata = {}, buffers = [] }: BroadcastExtra = {}
): Promise<void> {
  const publish = notebookHost()?.publish;
  if (publish === undefined) throw new Error('jupyter.broadcast: this code does not run in a notebook');
  publish(type, content, metadata, buffers);
  return Promise.resolve();
}

/** The functions of `Deno.jupyter`, for code written for Deno's kernel. */
export const jupyter = {
  $display: DISPLAY_METHOD,
  display,
  format,
  broadcast,
  html,
  md,
  svg,
  image
} as const;

/** Publishes messages of the Jupyter protocol for the running cell. */

import type { DisplayDetails, MimeBundle } from '../../../src/notebook/host.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import { currentCell } from '../context/cell-context.ts';
import { sendToFront } from './front-link.ts';
import { flushOutput } from './output.ts';

export function publish(
  type: string,
  content: JsonObject,
  metadata: JsonObject = {},
  buffers: readonly Uint8Array[] = []
): void {
  flushOutput();
  sendToFront({ kind: 'publish', cell: currentCell(), type, content, metadata }, buffers);
}

/** Displays a bundle in the running cell, or updates the display that `details` names. */
export function publishDisplay(data: MimeBundle, details?: DisplayDetails): void {
  const { metadata = {}, displayId, update = false } = details ?? {};
  const transient = displayId === undefined ? {} : { display_id: displayId };
  const content = { data: { ...data }, metadata: { ...metadata }, transient };
  publish(update ? 'update_display_data' : 'display_data', content);
}

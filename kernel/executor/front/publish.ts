/** Publishes messages of the Jupyter protocol for the running cell, and collects the payloads of its reply. */

import type { DisplayDetails, MimeBundle } from '../../../src/notebook/host.ts';
import type { Payload } from '../../../src/notebook/payload.ts';
import type { JsonObject } from '../../protocol/messages.ts';
import { currentCell, currentRequest } from '../context/cell-context.ts';
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

/** Payloads of running cells, until their replies include them. */
const ofRunning = new Map<string, Payload[]>();

/** Starts to collect payloads of the cell; code that outlives its cell has no reply to attach them to. */
export function collectPayloads(cell: string): void {
  ofRunning.set(cell, []);
}

export function addPayload(payload: Payload): void {
  ofRunning.get(currentRequest())?.push(payload);
}

export function takePayloads(cell: string): readonly Payload[] {
  const payloads = ofRunning.get(cell) ?? [];
  ofRunning.delete(cell);
  return payloads;
}

/** Messages of the Jupyter protocol that the running cell publishes. */

import type { JsonObject } from '../protocol/messages.ts';
import { currentCell, currentSink } from './cell-context.ts';
import { sendToFront } from './front-link.ts';
import { flushOutput } from './output.ts';

/** Outputs of a cell, which can be captured; other messages always go out. */
const OUTPUTS = new Set(['display_data', 'update_display_data', 'execute_result', 'clear_output']);

export function publish(
  type: string,
  content: JsonObject,
  metadata: JsonObject = {},
  buffers: readonly Uint8Array[] = []
): void {
  const sink = OUTPUTS.has(type) ? currentSink() : undefined;
  if (sink !== undefined) {
    sink.message(type, content);
    return;
  }
  flushOutput();
  sendToFront({ kind: 'publish', cell: currentCell(), type, content, metadata }, buffers);
}

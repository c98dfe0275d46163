/** Messages of the Jupyter protocol that the running cell publishes. */

import type { JsonObject } from '../protocol/messages.ts';
import { currentCell } from './cell-context.ts';
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

/** Saves the trace as a file for Perfetto: the kernel's export, or the page's if there is no kernel; returns whether the kernel made it. */

import { element } from '../kit/dom.ts';
import type { Channel } from '../kit/view.ts';
import { chromeJson } from './chrome.ts';
import type { Records } from './records.ts';

export const FILE_NAME = 'trace.json';

export async function saveTrace(channel: Channel | undefined, records: Records): Promise<boolean> {
  let blob: Blob | undefined;
  try {
    const packed = (await channel?.request('chrome'))?.buffers[0];
    if (packed !== undefined) blob = await unpack(packed);
  } catch {
    // A busy kernel does not answer; fall back to the page's records.
  }
  const link = element('a', { download: FILE_NAME });
  link.href = URL.createObjectURL(blob ?? new Blob([chromeJson(records)], { type: 'application/json' }));
  link.click();
  // The browser reads the URL after this turn.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return blob !== undefined;
}

async function unpack(packed: DataView): Promise<Blob> {
  const bytes = new Blob([packed as DataView<ArrayBuffer>]).stream();
  const text = await new Response(bytes.pipeThrough(new DecompressionStream('gzip'))).arrayBuffer();
  return new Blob([text], { type: 'application/json' });
}

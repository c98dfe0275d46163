/** Gives the array library its place to show things: the cell that is running. */

import { attachNotebookHost, type MimeBundle } from '../../src/notebook/host.ts';
import { currentCell, currentCellName } from './cell-context.ts';
import type { CellSources } from './cell-sources.ts';
import { sendToFront } from './front-link.ts';
import { deviceUsed } from './device-usage.ts';
import { ask, askBlocking } from './input.ts';
import { flushOutput } from './output.ts';
import { addPayload } from './payloads.ts';
import { parseStack, showFrames } from './stack-frames.ts';

export function publishDisplay(data: MimeBundle): void {
  flushOutput();
  const content = { data: { ...data }, metadata: {}, transient: {} };
  sendToFront({ kind: 'publish', cell: currentCell(), type: 'display_data', content, metadata: {} });
}

/** `comms` is waited for at the first widget only. */
export function attachHost(cells: CellSources, comms: () => Promise<unknown>): void {
  attachNotebookHost({
    display: publishDisplay,
    ask,
    askBlocking,
    payload: addPayload,
    deviceUsed,
    locate: text => cells.locate(text),
    cell: currentCellName,
    showStack: stack => showFrames(parseStack(stack), cells).map(({ text }) => `at ${text}`),
    inspect(array) {
      void openInspector();

      async function openInspector(): Promise<void> {
        const [{ openArrayInspector }] = await Promise.all([
          import('../widgets/array-inspector.ts'),
          comms()
        ]);
        publishDisplay(openArrayInspector(array));
      }
    }
  });
}

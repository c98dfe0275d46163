/** Gives the array library its place to show things: the cell that is running. */

import {
  attachNotebookHost,
  DISPLAY_METHOD,
  type DisplayDetails,
  type MimeBundle
} from '../../src/notebook/host.ts';
import { widgetHost } from '../widgets/host.ts';
import { beginCapture } from './capture.ts';
import { currentCellName, currentSignal } from './cell-context.ts';
import type { CellSources } from './cell-sources.ts';
import { deviceUsed } from './device-usage.ts';
import { ask, askBlocking } from './input.ts';
import { addPayload } from './payloads.ts';
import { holdCell } from './pending-displays.ts';
import { publish } from './publish.ts';
import { parseStack, showFrames } from './stack-frames.ts';
import { errorContent } from './traceback.ts';

export function publishDisplay(data: MimeBundle, details?: DisplayDetails): void {
  const { metadata = {}, displayId, update = false } = details ?? {};
  const transient = displayId === undefined ? {} : { display_id: displayId };
  const content = { data: { ...data }, metadata: { ...metadata }, transient };
  publish(update ? 'update_display_data' : 'display_data', content);
}

/** `comms` is waited for at the first widget only. */
export function attachHost(
  cells: CellSources,
  comms: () => Promise<unknown>,
  variables: () => Readonly<Record<string, unknown>>
): void {
  attachNotebookHost({
    display: publishDisplay,
    publish: (type, content, metadata, buffers) => publish(type, { ...content }, { ...metadata }, buffers),
    holdCell,
    beginCapture,
    describeError: error => errorContent(error, cells).traceback.join('\n'),
    ask,
    askBlocking: (prompt, password = false, givesUp = () => false) => askBlocking(prompt, password, givesUp),
    payload: addPayload,
    variables,
    deviceUsed,
    locate: text => cells.locate(text),
    cell: currentCellName,
    cellSignal: currentSignal,
    showStack: stack => showFrames(parseStack(stack), cells).map(({ text }) => `at ${text}`),
    inspect(value, opened) {
      // Programs that run notebooks keep what is shown until the cell ends, so it ends no sooner.
      holdCell(openInspector().catch((error: unknown) => widgetHost().reportError(error)));

      async function openInspector(): Promise<void> {
        const [{ openPicture }] = await Promise.all([import('../widgets/live/open.ts'), comms()]);
        const picture = openPicture(value);
        publishDisplay(picture[DISPLAY_METHOD]());
        opened(picture);
      }
    }
  });
}

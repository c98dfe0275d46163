/** Attaches the array library's display functions to the running cell. */

import {
  type NotebookHost,
  type OpenPicture,
  attachNotebookHost,
  DISPLAY_METHOD
} from '../../src/notebook/host.ts';
import type { Inspectable } from '../../src/pictures/inspect.ts';
import { widgetHost } from '../widgets/model/host.ts';
import { beginCapture } from './display/capture.ts';
import { currentCellName, currentSignal } from './context/cell-context.ts';
import type { CellSources } from './context/cell-sources.ts';
import { deviceUsed } from './values/device-usage.ts';
import { ask, askBlocking } from './front/input.ts';
import { holdCell } from './display/pending-displays.ts';
import { addPayload, publish, publishDisplay } from './front/publish.ts';
import { parseStack, showFrames } from './context/stack-frames.ts';
import { errorContent } from './errors/traceback.ts';

/** Attaches the host. `comms` is awaited only at the first widget. */
export function attachHost(
  cells: CellSources,
  comms: () => Promise<unknown>,
  variables: () => Readonly<Record<string, unknown>>,
  renderElement: NonNullable<NotebookHost['renderElement']>
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
    renderElement,
    deviceUsed,
    locate: text => cells.locate(text),
    cell: currentCellName,
    cellSignal: currentSignal,
    showStack: stack => showFrames(parseStack(stack), cells).map(({ text }) => `at ${text}`),
    inspect(value: Inspectable, opened: (picture: OpenPicture) => void) {
      // Programs that run notebooks collect output until the cell ends, so the cell waits for it.
      holdCell(openInspector().catch((error: unknown) => widgetHost().reportError(error)));

      async function openInspector(): Promise<void> {
        const [{ openPicture }] = await Promise.all([import('../widgets/pictures/open.ts'), comms()]);
        const picture = openPicture(value);
        publishDisplay(picture[DISPLAY_METHOD]());
        opened(picture);
      }
    }
  });
}

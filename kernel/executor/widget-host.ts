/** Gives widgets their place in the executor: comm messages and output of the running cell. */

import { attachWidgetHost } from '../widgets/host.ts';
import { bindCell, currentCell, currentRequest, pageLoaded, runRedirected } from './cell-context.ts';
import type { CellSources } from './cell-sources.ts';
import { sendToFront } from './front-link.ts';
import { flushOutput } from './output.ts';
import { addSink, removeSink } from './output-sinks.ts';
import { errorContent } from './traceback.ts';

/** `variables` are the notebook's; none before the first cell. */
export function attachWidgets(cells: CellSources, variables: () => Record<string, unknown>): void {
  attachWidgetHost({
    send(type, content, metadata, buffers) {
      flushOutput();
      sendToFront({ kind: 'publish', cell: currentRequest(), type, content, metadata }, buffers);
    },
    bindCell,
    addSink,
    removeSink,
    redirect: runRedirected,
    pageLoaded,
    flushOutput,
    variables,
    reportError(error) {
      flushOutput();
      const content = { ...errorContent(error, cells) };
      sendToFront({ kind: 'publish', cell: currentCell(), type: 'error', content, metadata: {} });
    }
  });
}

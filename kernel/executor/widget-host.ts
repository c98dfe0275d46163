/** Connects widgets to the executor: comm messages and output of the running cell. */

import { attachWidgetHost } from '../widgets/model/host.ts';
import { bindCell, currentRequest, pageLoaded, runRedirected } from './context/cell-context.ts';
import type { CellSources } from './context/cell-sources.ts';
import { sendToFront } from './front/front-link.ts';
import { flushOutput } from './front/output.ts';
import { publish } from './front/publish.ts';
import { addSink, removeSink } from './context/output-sinks.ts';
import { errorContent } from './errors/traceback.ts';
import type { NotebookNames } from './transform/names.ts';

const cellEndListeners = new Set<() => void>();

/** Notifies the listeners that a cell has ended, whatever its outcome. */
export function tellCellEnd(): void {
  for (const listener of cellEndListeners) listener();
}

function onCellEnd(listener: () => void): () => void {
  cellEndListeners.add(listener);
  return () => void cellEndListeners.delete(listener);
}

/** Attaches the host, for a notebook with these names. */
export function attachWidgets(cells: CellSources, names: NotebookNames): void {
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
    variables: () => names.all(),
    eachVariable: () => names.each(),
    onCellEnd,
    reportError: error => publish('error', { ...errorContent(error, cells) })
  });
}

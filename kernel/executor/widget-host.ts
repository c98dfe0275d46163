/** Connects widgets to the executor: comm messages and output of the running cell. */

import { attachWidgetHost } from '../widgets/model/host.ts';
import { bindCell, currentCell, currentRequest, pageLoaded, runRedirected } from './context/cell-context.ts';
import type { CellSources } from './context/cell-sources.ts';
import { sendToFront } from './front/front-link.ts';
import { flushOutput } from './front/output.ts';
import { addSink, removeSink } from './context/output-sinks.ts';
import { errorContent } from './errors/traceback.ts';
import type { NotebookNames } from './transform/names.ts';

/** Null while there are no listeners. */
let cellEndListeners: Set<() => void> | null = null;

/** Called after each cell, whatever its outcome. */
export function tellCellEnd(): void {
  if (cellEndListeners !== null) for (const listener of cellEndListeners) listener();
}

function onCellEnd(listener: () => void): () => void {
  const listeners = (cellEndListeners ??= new Set());
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) cellEndListeners = null;
  };
}

/** Attaches the host. `names` returns the notebook's names; undefined before the first cell. */
export function attachWidgets(cells: CellSources, names: () => NotebookNames | undefined): void {
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
    variables: () => names()?.all() ?? {},
    eachVariable: () => names()?.each() ?? [],
    onCellEnd,
    reportError(error) {
      flushOutput();
      const content = { ...errorContent(error, cells) };
      sendToFront({ kind: 'publish', cell: currentCell(), type: 'error', content, metadata: {} });
    }
  });
}

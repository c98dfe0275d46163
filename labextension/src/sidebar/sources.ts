/** Open notebooks and consoles as sources of the panel. */

import type { ConsolePanel, IConsoleTracker } from '@jupyterlab/console';
import { NotebookActions, type INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import type { Source } from './arrays-model.ts';

export type Sources = ReturnType<typeof createSources>;

export function createSources(notebooks: INotebookTracker | null, consoles: IConsoleTracker | null) {
  const sources = {
    all(): Source[] {
      const found: Source[] = [];
      notebooks?.forEach(panel => void found.push(ofNotebook(panel)));
      consoles?.forEach(panel => void found.push(ofConsole(panel)));
      return found;
    },
    /** Finds the source of a widget; undefined if it is neither a notebook nor a console. */
    of: (widget: Widget | null | undefined): Source | undefined =>
      widget ? sources.all().find(source => source.widget === widget) : undefined,
    latest: (): Source | undefined =>
      sources.of(notebooks?.currentWidget) ?? sources.of(consoles?.currentWidget),
    /** Calls `listener` when the current notebook or console changes, which some shells do not report. */
    follow(way: 'connect' | 'disconnect', listener: () => void): void {
      notebooks?.currentChanged[way](listener);
      consoles?.currentChanged[way](listener);
    }
  };
  return sources;
}

function ofNotebook(panel: NotebookPanel): Source {
  return {
    widget: panel,
    sessionContext: panel.sessionContext,
    rendermime: panel.content.rendermime,
    insert(code) {
      NotebookActions.insertBelow(panel.content);
      panel.content.activeCell?.model.sharedModel.setSource(code);
      void NotebookActions.focusActiveCell(panel.content);
    }
  };
}

function ofConsole(panel: ConsolePanel): Source {
  return {
    widget: panel,
    sessionContext: panel.sessionContext,
    rendermime: panel.console.rendermime,
    insert(code) {
      panel.console.promptCell?.model.sharedModel.setSource(code);
      panel.console.promptCell?.editor?.focus();
    }
  };
}

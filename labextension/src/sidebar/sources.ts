/** Open notebooks and consoles as sources of the panel. */

import type { ConsolePanel, IConsoleTracker } from '@jupyterlab/console';
import { NotebookActions, type INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Widget } from '@lumino/widgets';
import type { Source } from './arrays-model.ts';

export class Sources {
  readonly #notebooks: INotebookTracker | null;
  readonly #consoles: IConsoleTracker | null;

  constructor(notebooks: INotebookTracker | null, consoles: IConsoleTracker | null) {
    this.#notebooks = notebooks;
    this.#consoles = consoles;
  }

  /** Lists all open sources. */
  all(): Source[] {
    const sources: Source[] = [];
    this.#notebooks?.forEach(panel => void sources.push(ofNotebook(panel)));
    this.#consoles?.forEach(panel => void sources.push(ofConsole(panel)));
    return sources;
  }

  /** Finds the source of a widget; undefined if it is neither a notebook nor a console. */
  of(widget: Widget | null): Source | undefined {
    return widget === null ? undefined : this.all().find(source => source.widget === widget);
  }

  /** The current notebook, or else the current console. */
  latest(): Source | undefined {
    return this.of(this.#notebooks?.currentWidget ?? null) ?? this.of(this.#consoles?.currentWidget ?? null);
  }

  /** Calls `listener` when the current one changes, for shells that do not report it. */
  onUse(listener: () => void): void {
    this.#notebooks?.currentChanged.connect(listener);
    this.#consoles?.currentChanged.connect(listener);
  }

  endUse(listener: () => void): void {
    this.#notebooks?.currentChanged.disconnect(listener);
    this.#consoles?.currentChanged.disconnect(listener);
  }
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

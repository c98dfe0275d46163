/** What the panel's rows and buttons do, in JupyterLab's terms. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext, MainAreaWidget } from '@jupyterlab/apputils';
import type { PartialJSONObject } from '@lumino/coreutils';
import type { ArrayEntry, FreeOutcome } from '../../../src/description/arrays-schema.ts';
import { copyText } from '../views/clipboard.ts';
import type { Phrases } from '../views/phrases.ts';
import { EXAMPLE } from './absence.ts';
import { nameOf } from './arrange.ts';
import type { ArraysModel, Source } from './arrays-model.ts';
import type { ArraysActions } from './arrays-view.ts';
import { confirmFree } from './free-dialog.ts';
import { outcomeText } from './free-sentences.ts';
import { createInspectorTab } from './inspector-tab.ts';
import type { KernelArrays } from './kernel-arrays.ts';

export interface PanelActionsOptions {
  readonly app: JupyterFrontEnd;
  readonly model: ArraysModel;
  readonly phrases: Phrases;
  readonly dialogs: ISessionContext.IDialogs;
  /** Shows a sentence in the panel. */
  readonly say: (sentence: string) => void;
}

export class PanelActions implements Omit<ArraysActions, 'moved'> {
  readonly #options: PanelActionsOptions;
  /** Inspectors that are open, by the kernel and the array. */
  readonly #tabs = new WeakMap<KernelArrays, Map<number, MainAreaWidget>>();

  constructor(options: PanelActionsOptions) {
    this.#options = options;
  }

  inspect(entry: ArrayEntry): void {
    void this.#tell(async (source, arrays) => {
      const open = this.#tabs.get(arrays)?.get(entry.id);
      if (open?.isDisposed === false) {
        this.#options.app.shell.activateById(open.id);
        return '';
      }
      const { bundle } = await arrays.request('inspect', { id: entry.id });
      await this.#showInspector(source, arrays, entry, bundle as PartialJSONObject);
      return '';
    });
  }

  free(entries: readonly ArrayEntry[]): void {
    const { model, phrases } = this.#options;
    const live = entries.filter(({ state }) => state !== 'freed');
    void this.#tell(async (_, arrays) => {
      if (!(await confirmFree(live, model.entries, phrases))) return '';
      const outcome = await arrays.request('free', { ids: live.map(({ id }) => id) });
      return outcomeText(outcome as unknown as FreeOutcome, phrases);
    });
  }

  freeAll(): void {
    this.free(this.#options.model.entries);
  }

  copyName(entry: ArrayEntry): void {
    void this.#tell(async () => {
      await copyText(nameOf(entry));
      return this.#options.phrases.__('%1 is on the clipboard.', nameOf(entry));
    });
  }

  insertInspect(entry: ArrayEntry): void {
    this.#options.model.source?.insert(`import { inspect } from 'stridelab';\ninspect(${nameOf(entry)});`);
  }

  refresh(): void {
    void this.#tell(async (_, arrays) => {
      await arrays.request('refresh', {});
      return '';
    });
  }

  remedy(remedy: Parameters<ArraysActions['remedy']>[0]): void {
    const { app, model, dialogs } = this.#options;
    const context = model.source?.sessionContext;
    if (remedy === 'new-notebook')
      void app.commands.execute('notebook:create-new', { kernelName: 'stridelab' });
    else if (remedy === 'insert-example') model.source?.insert(EXAMPLE);
    else if (context === undefined) return;
    else if (remedy === 'change-kernel') void dialogs.selectKernel(context);
    else void dialogs.restart(context);
  }

  async #showInspector(
    source: Source,
    arrays: KernelArrays,
    entry: ArrayEntry,
    bundle: PartialJSONObject
  ): Promise<void> {
    const { app, phrases } = this.#options;
    const name = nameOf(entry);
    const caption = phrases.__('%1 of %2', name, source.widget.title.label);
    const tab = await createInspectorTab(source.rendermime, bundle, name, caption);
    tab.id = `stridelab-inspector-${arrays.connection.id}-${entry.id}`;
    const known = this.#tabs.get(arrays) ?? new Map<number, MainAreaWidget>();
    this.#tabs.set(arrays, known.set(entry.id, tab));
    app.shell.add(tab, 'main', { ref: source.widget.id, mode: 'split-bottom' });
    // Notebook 7 has room for one document alone; what is below it opens with what comes there.
    if (!tab.isAttached) {
      tab.content.addClass('stridelab-below');
      app.shell.add(tab, 'down');
    }
    if (tab.isAttached) app.shell.activateById(tab.id);
    else {
      // Before 7.3 it has nothing below either.
      tab.dispose();
      this.insertInspect(entry);
    }
  }

  async #tell(act: (source: Source, arrays: KernelArrays) => Promise<string>): Promise<void> {
    const { model, say } = this.#options;
    const { source, arrays } = model;
    if (source === null || arrays === null) return;
    try {
      say(await act(source, arrays));
    } catch (reason) {
      say(reason instanceof Error ? reason.message : String(reason));
    }
  }
}

/** Actions of the panel's rows and buttons in JupyterLab. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import type { ISessionContext, MainAreaWidget } from '@jupyterlab/apputils';
import type { PartialJSONObject } from '@lumino/coreutils';
import type { ArrayEntry, FreeOutcome, SynchronizeOutcome } from '../../../src/pictures/arrays/schema.ts';
import { formatDuration } from '../../../src/base/time-text.ts';
import { copyText } from '../views/kit/clipboard.ts';
import { uniqueId } from '../views/kit/dom.ts';
import { EXAMPLE } from './absence.ts';
import { nameOf } from './arrange.ts';
import type { ArraysModel, Source } from './arrays-model.ts';
import type { ArraysActions } from './arrays-view.ts';
import { confirmFree } from './free-dialog.ts';
import { outcomeText } from './free-sentences.ts';
import { createInspectorTab } from './inspector-tab.ts';
import type { KernelArrays } from './kernel-arrays.ts';
import { inspectCode, type PlaceSubject, type Subject } from './subjects.ts';
import { __ } from '../views/kit/phrases.ts';

export type PanelActions = ReturnType<typeof createPanelActions>;

/** Creates the actions. `say` shows a sentence in the panel. */
export function createPanelActions(
  app: JupyterFrontEnd,
  model: ArraysModel,
  dialogs: ISessionContext.IDialogs,
  say: (sentence: string) => void
) {
  /** Open pictures, by kernel and subject. */
  const tabs = new WeakMap<KernelArrays, Map<string, MainAreaWidget | 'opening'>>();

  const tell = async (act: (source: Source, arrays: KernelArrays) => Promise<string>): Promise<void> => {
    const { source, arrays } = model;
    if (source === null || arrays === null) return;
    try {
      say(await act(source, arrays));
    } catch (reason) {
      say(reason instanceof Error ? reason.message : String(reason));
    }
  };
  const showInspector = async (
    source: Source,
    subject: Subject,
    bundle: PartialJSONObject
  ): Promise<MainAreaWidget> => {
    const caption = __('%1 of %2', subject.label, source.widget.title.label);
    const tab = await createInspectorTab(source.rendermime, bundle, subject.label, caption);
    tab.id = uniqueId('inspector-tab');
    app.shell.add(tab, 'main', { ref: source.widget.id, mode: 'split-bottom' });
    // Notebook 7 shows one document; its lower area opens when something is added.
    if (!tab.isAttached) {
      tab.content.addClass('stridelab-below');
      app.shell.add(tab, 'down');
    }
    if (tab.isAttached) app.shell.activateById(tab.id);
    else {
      // Versions before 7.3 have no lower area either.
      tab.dispose();
      actions.insertInspect(subject);
    }
    return tab;
  };
  const open = async (source: Source, arrays: KernelArrays, subject: Subject): Promise<void> => {
    const key = JSON.stringify(subject.place);
    const own = tabs.get(arrays) ?? new Map<string, MainAreaWidget | 'opening'>();
    tabs.set(arrays, own);
    const known = own.get(key);
    if (known === 'opening') return;
    if (known?.isDisposed === false) return app.shell.activateById(known.id);
    own.set(key, 'opening');
    try {
      const { bundle } = await arrays.request('inspect', subject.place);
      own.set(key, await showInspector(source, subject, bundle as PartialJSONObject));
    } finally {
      if (own.get(key) === 'opening') own.delete(key);
    }
  };

  const actions = {
    inspect(subject: Subject): void {
      void tell(async (source, arrays) => {
        await open(source, arrays, subject);
        return '';
      });
    },
    synchronize({ place, label }: PlaceSubject): void {
      void tell(async (_, arrays) => {
        const isBusy = arrays.connection.status === 'busy';
        say(isBusy ? __('Waiting for %1: the kernel is busy.', label) : __('Waiting for %1…', label));
        const outcome = await arrays.request('synchronize', place, Infinity);
        const { microseconds } = outcome as unknown as SynchronizeOutcome;
        return __('All work of %1 is done, after %2.', label, formatDuration(microseconds));
      });
    },
    free(entries: readonly ArrayEntry[]): void {
      const live = entries.filter(({ state }) => state !== 'freed');
      void tell(async (_, arrays) => {
        if (!(await confirmFree(live, model.entries))) return '';
        const outcome = await arrays.request('free', { ids: live.map(({ id }) => id) });
        return outcomeText(outcome as unknown as FreeOutcome);
      });
    },
    freeAll: (): void => actions.free(model.entries),
    copyName(entry: ArrayEntry): void {
      void tell(async () => {
        await copyText(nameOf(entry));
        return __('Copied %1.', nameOf(entry));
      });
    },
    insertInspect: (subject: Subject): void => model.source?.insert(inspectCode(subject)),
    refresh(): void {
      void tell(async (_, arrays) => {
        await arrays.request('refresh', {});
        return '';
      });
    },
    remedy(remedy: Parameters<ArraysActions['remedy']>[0]): void {
      const context = model.source?.sessionContext;
      if (remedy === 'new-notebook')
        void app.commands.execute('notebook:create-new', { kernelName: 'stridelab' });
      else if (remedy === 'insert-example') model.source?.insert(EXAMPLE);
      else if (context === undefined) return;
      else if (remedy === 'change-kernel') void dialogs.selectKernel(context);
      else void dialogs.restart(context);
    }
  };
  return actions;
}

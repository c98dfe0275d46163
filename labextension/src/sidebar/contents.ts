/** Contents of the panel once it was visible: the model that follows the active notebook, the view, and the actions of its rows. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { SessionContextDialogs, type ISessionContext } from '@jupyterlab/apputils';
import { nullTranslator, type ITranslator } from '@jupyterlab/translation';
import type { ISettings } from './settings.ts';
import type { IKernelArrays } from './tokens.ts';
import { ArraysModel } from './arrays-model.ts';
import { createArraysView, type ArraysActions } from './arrays-view.ts';
import type { PanelActions } from './panel-actions.ts';

export interface ContentsOptions {
  readonly app: JupyterFrontEnd;
  readonly kernelArrays: IKernelArrays;
  readonly settings: ISettings | null;
  readonly dialogs: ISessionContext.IDialogs | null;
  readonly translator: ITranslator | null;
  /** Called when commands that depend on the active row may change state. */
  readonly moved: () => void;
}

export type Contents = Awaited<ReturnType<typeof createContents>>;

export async function createContents(
  host: HTMLElement,
  { app, kernelArrays, settings, dialogs, translator, moved }: ContentsOptions
) {
  const [pool] = await Promise.all([
    kernelArrays.load(),
    settings?.ready,
    // The tokens and badges are shared with the pictures.
    import('stridelab-views-style'),
    import('stridelab-arrays-style')
  ]);
  const { sources } = pool;
  const model = new ArraysModel(pool);
  let actions: Promise<PanelActions> | undefined;
  const load = async (): Promise<PanelActions> => {
    const { createPanelActions } = await import('./panel-actions.ts');
    const used = dialogs ?? new SessionContextDialogs({ translator: translator ?? nullTranslator });
    return createPanelActions(app, model, used, sentence => view.say(sentence));
  };
  const act = (perform: (actions: PanelActions) => void): void => void (actions ??= load()).then(perform);
  const rowActions: ArraysActions = {
    inspect: subject => act(able => able.inspect(subject)),
    synchronize: subject => act(able => able.synchronize(subject)),
    free: entries => act(able => able.free(entries)),
    copyName: entry => act(able => able.copyName(entry)),
    remedy: remedy => act(able => able.remedy(remedy)),
    moved
  };
  const grouping = settings?.values.groupBy ?? 'storage';
  const view = createArraysView(host, model, rowActions, grouping);

  const follow = (): void => {
    const shown = model.source;
    const isOpen = shown !== null && !shown.widget.isDisposed;
    if (isOpen && settings?.values.followActive === false) return;
    const used = sources.of(app.shell.currentWidget) ?? (isOpen ? undefined : sources.latest());
    if (used === undefined && isOpen) return;
    if (used?.widget !== shown?.widget) used?.widget.disposed.connect(follow);
    model.source = used ?? null;
  };
  let groupBy = settings?.values.groupBy;
  const configure = (): void => {
    if (settings === null) return;
    model.period = settings.values.pollInterval;
    // A grouping chosen in the panel is kept until the setting changes.
    if (settings.values.groupBy !== groupBy) view.group(settings.values.groupBy);
    ({ groupBy } = settings.values);
    follow();
  };
  sources.follow('connect', follow);
  app.shell.currentChanged?.connect(follow);
  settings?.changed.connect(configure);
  configure();
  follow();

  return {
    model,
    /** Loads the row actions on first use. */
    act,
    view,
    dispose(): void {
      settings?.changed.disconnect(configure);
      app.shell.currentChanged?.disconnect(follow);
      sources.follow('disconnect', follow);
      view.dispose();
      model.dispose();
    }
  };
}

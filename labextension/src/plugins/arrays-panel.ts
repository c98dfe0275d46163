import { ILabShell, ILayoutRestorer } from '@jupyterlab/application';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, ISessionContextDialogs, SessionContextDialogs } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ISettings } from '../settings.ts';
import { ArraysModel, KernelArraysPool } from '../sidebar/arrays-model.ts';
import { ArraysPanel } from '../sidebar/arrays-panel.ts';
import { addCommands, CommandIDs } from '../sidebar/commands.ts';
import { PanelActions } from '../sidebar/panel-actions.ts';
import { Sources } from '../sidebar/sources.ts';
import { IKernelArrays } from '../tokens.ts';
import { TRANSLATION_DOMAIN } from '../views/phrases.ts';

/** After the table of contents and before extensions. */
const RANK = 450;
const PALETTE_CATEGORY = 'Stridelab';

/** Everything but the page itself is optional: Notebook 7 has neither launcher nor lab shell. */
const plugin: JupyterFrontEndPlugin<IKernelArrays> = {
  id: 'stridelab:arrays-panel',
  description: 'Lists the arrays of the active notebook in the sidebar.',
  autoStart: true,
  provides: IKernelArrays,
  optional: [
    INotebookTracker,
    IConsoleTracker,
    ILabShell,
    ILayoutRestorer,
    ICommandPalette,
    ILauncher,
    ISessionContextDialogs,
    ITranslator,
    ISettings
  ],
  activate: (
    app: JupyterFrontEnd,
    notebooks: INotebookTracker | null,
    consoles: IConsoleTracker | null,
    labShell: ILabShell | null,
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    dialogs: ISessionContextDialogs | null,
    translator: ITranslator | null,
    settings: ISettings | null
  ) => {
    const phrases = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    const sources = new Sources(notebooks, consoles);
    const pool = new KernelArraysPool(() => sources.all());
    const model = new ArraysModel(pool);
    const actions = new PanelActions({
      app,
      model,
      phrases,
      dialogs: dialogs ?? new SessionContextDialogs({ translator: translator ?? nullTranslator }),
      say: sentence => panel.view?.say(sentence),
      moved: () => app.commands.notifyCommandChanged()
    });
    const panel = new ArraysPanel(model, actions, translator);

    const follow = (): void => {
      const shown = model.source;
      const isOpen = shown !== null && !shown.widget.isDisposed;
      if (isOpen && settings?.values.followActive === false) return;
      const used = sources.of(app.shell.currentWidget) ?? (isOpen ? undefined : sources.latest());
      if (used !== undefined || !isOpen) model.source = used ?? null;
      used?.widget.disposed.connect(follow);
    };
    sources.onUse(follow);
    app.shell.currentChanged?.connect(follow);
    labShell?.layoutModified.connect(follow);
    const configure = (): void => {
      if (settings === null) return;
      model.period = settings.values.pollInterval;
      panel.grouping = settings.values.groupBy;
      follow();
    };
    settings?.changed.connect(configure);
    configure();

    addCommands(app.commands, {
      actions,
      phrases,
      chosen: () => panel.view?.chosen ?? [],
      listing: () => model.absence === null,
      show: () => {
        app.shell.activateById(panel.id);
        void panel.takeFocus();
      }
    });
    app.shell.add(panel, 'left', { rank: RANK });
    restorer?.add(panel, panel.id);
    for (const command of Object.values(CommandIDs))
      palette?.addItem({ command, category: PALETTE_CATEGORY });
    launcher?.add({ command: CommandIDs.show, category: 'Other', rank: 10 });
    return pool;
  }
};
export default plugin;

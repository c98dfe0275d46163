import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, ISessionContextDialogs } from '@jupyterlab/apputils';
import { IConsoleTracker } from '@jupyterlab/console';
import { ILauncher } from '@jupyterlab/launcher';
import { INotebookTracker } from '@jupyterlab/notebook';
import { ITranslator } from '@jupyterlab/translation';
import { ISettings } from '../sidebar/settings.ts';
import type { KernelArraysPool } from '../sidebar/arrays-model.ts';
import { ArraysPanel } from '../sidebar/arrays-panel.ts';
import { CommandIDs } from '../sidebar/command-ids.ts';
import { addCommands } from '../sidebar/commands.ts';
import { IKernelArrays } from '../sidebar/tokens.ts';
import { useTranslator } from '../views/kit/phrases.ts';

/** Between the table of contents and extensions. */
const RANK = 450;
const PALETTE_CATEGORY = 'Stridelab';

/** All services but the page are optional: Notebook 7 has no launcher. */
const plugin: JupyterFrontEndPlugin<IKernelArrays> = {
  id: 'stridelab:arrays-panel',
  description: 'Lists the arrays of the active notebook in the sidebar.',
  autoStart: true,
  provides: IKernelArrays,
  optional: [
    INotebookTracker,
    IConsoleTracker,
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
    restorer: ILayoutRestorer | null,
    palette: ICommandPalette | null,
    launcher: ILauncher | null,
    dialogs: ISessionContextDialogs | null,
    translator: ITranslator | null,
    settings: ISettings | null
  ) => {
    useTranslator(translator);
    const load = async (): Promise<KernelArraysPool> => {
      const [{ KernelArraysPool: Pool }, { createSources }] = await Promise.all([
        import('../sidebar/arrays-model.ts'),
        import('../sidebar/sources.ts')
      ]);
      return new Pool(createSources(notebooks, consoles));
    };
    let loading: Promise<KernelArraysPool> | undefined;
    const kernelArrays: IKernelArrays = { load: () => (loading ??= load()) };
    const panel = new ArraysPanel(async host => {
      const { createContents } = await import('../sidebar/contents.ts');
      const moved = (): void => {
        for (const id of Object.values(CommandIDs)) app.commands.notifyCommandChanged(id);
      };
      return createContents(host, { app, kernelArrays, settings, dialogs, translator, moved });
    });
    addCommands(app.commands, panel, () => app.shell.activateById(panel.id));
    app.shell.add(panel, 'left', { rank: RANK });
    restorer?.add(panel, panel.id);
    for (const command of Object.values(CommandIDs))
      palette?.addItem({ command, category: PALETTE_CATEGORY });
    launcher?.add({ command: CommandIDs.show, category: 'Other', rank: 10 });
    return kernelArrays;
  }
};
export default plugin;

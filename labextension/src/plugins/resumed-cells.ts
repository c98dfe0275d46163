import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { isSaved, RESUMABLE_UNTIL } from '../../../src/notebook/resumable-runs.ts';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:resumed-cells',
  description: 'Shows output that a reloaded page missed.',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker | null) => {
    // Two views of a notebook share the connection.
    const seen = new WeakSet<Kernel.IKernelConnection>();
    const look = async (panel: NotebookPanel, kernel: Kernel.IKernelConnection | null): Promise<void> => {
      if (kernel === null || seen.has(kernel)) return;
      seen.add(kernel);
      const info = (await kernel.info.catch(() => ({}))) as { readonly [RESUMABLE_UNTIL]?: string | null };
      const until = info[RESUMABLE_UNTIL];
      if (!until) return;
      const { context } = panel;
      await context.ready;
      if (isSaved(until, context.contentsModel?.last_modified)) return;
      const { resumeCells } = await import('../notebook/resumed-cells.ts');
      await resumeCells(panel, kernel);
    };
    const add = (panel: NotebookPanel): void => {
      const { sessionContext } = panel;
      sessionContext.kernelChanged.connect((_context, { newValue }) => void look(panel, newValue));
      void look(panel, sessionContext.session?.kernel ?? null);
    };
    tracker?.forEach(add);
    tracker?.widgetAdded.connect((_tracker, panel) => add(panel));
  }
};
export default plugin;

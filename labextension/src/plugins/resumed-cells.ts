import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';
import { isSaved, RESUMABLE_UNTIL } from '../../../src/notebook/resumable-runs.ts';

interface Info {
  readonly [RESUMABLE_UNTIL]?: string | null;
}

/** Times in ms after which the kernel is asked again. */
const ASK_AGAIN = [1_000, 2_000, 4_000];

/**
 * Returns the kernel's `kernel_info_reply`; nothing if it exits. JupyterLab asks once, and waits for the status after the reply. The
 * server does not wait for its subscription if the kernel is busy, so that the status can be lost.
 */
async function infoOf(kernel: Kernel.IKernelConnection): Promise<Info> {
  const info = kernel.info.catch(() => ({})) as Promise<Info>;
  for (const pause of ASK_AGAIN) {
    const known = await Promise.race([info, new Promise<void>(resolve => setTimeout(resolve, pause))]);
    if (known !== undefined) return known;
    if (!kernel.isDisposed) void kernel.requestKernelInfo().catch(() => undefined);
  }
  return info;
}

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
      const until = (await infoOf(kernel))[RESUMABLE_UNTIL];
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

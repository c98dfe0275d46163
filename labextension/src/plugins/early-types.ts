import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { Kernel } from '@jupyterlab/services';

const IMPLEMENTATION = 'stridelab';
/** Makes the kernel start its TypeScript server and load all types. */
const QUESTION = 'globalThis.';

/** The first question about types takes a quarter of a second, so it is asked when the user begins to edit, before the first completion. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:early-types',
  description: 'Has the kernel load types when a cell is edited.',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker | null) => {
    const asked = new WeakSet<Kernel.IKernelConnection>();
    const add = ({ content, sessionContext }: NotebookPanel): void => {
      content.stateChanged.connect(() => {
        const kernel = sessionContext.session?.kernel;
        if (content.mode !== 'edit' || !kernel || asked.has(kernel)) return;
        asked.add(kernel);
        void ask(kernel).catch(() => undefined);
      });
    };
    tracker?.forEach(add);
    tracker?.widgetAdded.connect((_tracker, panel) => add(panel));
  }
};
export default plugin;

async function ask(kernel: Kernel.IKernelConnection): Promise<void> {
  const { implementation } = await kernel.info;
  if (implementation === IMPLEMENTATION)
    await kernel.requestComplete({ code: QUESTION, cursor_pos: QUESTION.length });
}

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import type { KernelMessage } from '@jupyterlab/services';

/** Matches cells that may show a picture, or are followed by such cells: the kernel runs them while the page loads the code. */
const MAY_SHOW = /\bstridelab\b|\binspect\(/;

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:early-pictures',
  description: 'Loads the code of pictures while the first cell runs that may show one.',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker | null) => {
    const add = ({ sessionContext: { iopubMessage } }: NotebookPanel): void => {
      const look = (_context: unknown, { header, content }: KernelMessage.IMessage): void => {
        if (header.msg_type !== 'execute_input') return;
        if (!MAY_SHOW.test((content as KernelMessage.IExecuteInputMsg['content']).code)) return;
        iopubMessage.disconnect(look);
        void load();
      };
      iopubMessage.connect(look);
    };
    tracker?.forEach(add);
    tracker?.widgetAdded.connect((_tracker, panel) => add(panel));
  }
};
export default plugin;

/** A failure recurs, and is shown, when a picture needs the code. */
async function load(): Promise<void> {
  await Promise.allSettled([
    import('./live-output.ts'),
    import('../models/index.ts'),
    import('../views/array/array-picture.ts'),
    import('stridelab-views-style')
  ]);
}

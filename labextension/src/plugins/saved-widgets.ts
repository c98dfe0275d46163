import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:saved-widgets',
  description: 'Saves the state of controls with the notebooks of this kernel.',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker | null) => {
    const add = async (panel: NotebookPanel): Promise<void> => {
      const { SavedWidgets } = await import('../notebook/saved-widgets.ts');
      if (!panel.isDisposed) new SavedWidgets(panel);
    };
    tracker?.forEach(panel => void add(panel));
    tracker?.widgetAdded.connect((_tracker, panel) => void add(panel));
  }
};
export default plugin;

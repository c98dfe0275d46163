import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { Dialog, Notification, showDialog } from '@jupyterlab/apputils';
import { IRunningSessionManagers } from '@jupyterlab/running';
import { ITranslator, nullTranslator } from '@jupyterlab/translation';
import { ISettings } from '../settings.ts';
import { RunningArrays } from '../sidebar/running-manager.ts';
import { IKernelArrays } from '../tokens.ts';
import { formatBytes } from '../views/array-inspector/format.ts';
import { TRANSLATION_DOMAIN } from '../views/phrases.ts';

/** What the Running panel is on the page. */
const RUNNING_PANEL = '.jp-RunningSessions';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:running',
  description: 'Lists the device memory of each notebook in the Running panel.',
  autoStart: true,
  requires: [IKernelArrays],
  optional: [IRunningSessionManagers, ISettings, ITranslator],
  activate: (
    app: JupyterFrontEnd,
    pool: IKernelArrays,
    managers: IRunningSessionManagers | null,
    settings: ISettings | null,
    translator: ITranslator | null
  ) => {
    if (managers === null) return;
    const phrases = (translator ?? nullTranslator).load(TRANSLATION_DOMAIN);
    let manager: RunningArrays | undefined;
    // A section cannot be taken away again, so there is none before it is wanted; later it is empty.
    const configure = (): void => {
      const wanted = settings?.values.showInRunning ?? true;
      if (manager !== undefined) manager.wanted = wanted;
      if (!wanted || manager !== undefined) return;
      manager = new RunningArrays({
        pool,
        phrases,
        activate: source => app.shell.activateById(source.widget.id),
        confirm: async (source, { arrays, bytes }) => {
          const { button } = await showDialog({
            title: phrases.__('Free the arrays of %1?', source.widget.title.label),
            body: phrases.__(
              '%1 arrays go, with %2 of memory. Code that uses one of them afterwards throws FreedError.',
              arrays,
              formatBytes(bytes)
            ),
            buttons: [
              Dialog.cancelButton({ label: phrases.__('Cancel') }),
              Dialog.warnButton({ label: phrases.__('Free') })
            ],
            defaultButton: 0
          });
          return button.accept;
        },
        report: sentence => void Notification.error(sentence),
        shown: () => (document.querySelector<HTMLElement>(RUNNING_PANEL)?.offsetParent ?? null) !== null
      });
      managers.add(manager);
    };
    void (settings?.ready ?? Promise.resolve()).then(configure);
    settings?.changed.connect(configure);
  }
};
export default plugin;

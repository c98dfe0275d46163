import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { IRunningSessionManagers } from '@jupyterlab/running';
import { ISettings } from '../sidebar/settings.ts';
import { LazyRunning } from '../sidebar/lazy-running.ts';
import { IKernelArrays } from '../sidebar/tokens.ts';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:running',
  description: 'Lists the device memory of each notebook in the Running panel.',
  autoStart: true,
  requires: [IKernelArrays],
  optional: [IRunningSessionManagers, ISettings],
  activate: async (
    app: JupyterFrontEnd,
    kernelArrays: IKernelArrays,
    managers: IRunningSessionManagers | null,
    settings: ISettings | null
  ) => {
    if (managers === null) return;
    let manager: LazyRunning | undefined;
    // A section cannot be removed, so add it only when enabled; after disabling it is empty.
    const configure = (): void => {
      const wanted = settings?.values.showInRunning ?? true;
      if (manager !== undefined) manager.wanted = wanted;
      if (!wanted || manager !== undefined) return;
      manager = new LazyRunning(async changed => {
        const [{ createRunningArrays }, pool] = await Promise.all([
          import('../sidebar/running-arrays.ts'),
          kernelArrays.load()
        ]);
        return createRunningArrays(pool, id => app.shell.activateById(id), changed);
      });
      managers.add(manager);
    };
    await settings?.ready;
    settings?.changed.connect(configure);
    configure();
  }
};
export default plugin;

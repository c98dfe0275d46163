import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { placedPictures } from '../notebook/placed-pictures.ts';
import { IKernelArrays } from '../sidebar/tokens.ts';

const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:placed-pictures',
  description: 'Opens pictures beside the notebook.',
  autoStart: true,
  requires: [IKernelArrays],
  activate: (app: JupyterFrontEnd, kernelArrays: IKernelArrays) => {
    const load = async () => {
      const [{ createPlacedViews }, { sources }] = await Promise.all([
        import('../sidebar/place-picture.ts'),
        kernelArrays.load()
      ]);
      return createPlacedViews(app, sources);
    };
    let views: ReturnType<typeof load> | undefined;
    placedPictures.openWith(placement => {
      views ??= load();
      void views.then(loaded => loaded.place(placement));
    });
  }
};
export default plugin;

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, type NotebookPanel } from '@jupyterlab/notebook';
import {
  PICTURE_MIME_TYPE,
  WIDGET_VIEW_TYPE,
  ARRAY_MIME_TYPE
} from '../../../src/pictures/kit/live-messages.ts';
import { LazyOutput } from './lazy-output.ts';
import type { LiveSide } from './live-output.ts';

/** Before the widget manager's renderer, whose rank is -10. */
const RANK = -20;

/** Shows the static picture of live pictures without a model, in notebooks. Needs no widget manager. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:live-outputs',
  description: 'Shows static pictures in place of live ones without a kernel.',
  autoStart: true,
  optional: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker | null) => {
    const add = ({ content: { rendermime }, context, sessionContext }: NotebookPanel): void => {
      const side: LiveSide = {
        // The manager replaces the previous renderer when it registers its own, and its work changes the kernel's status.
        manager: () => rendermime.getFactory(WIDGET_VIEW_TYPE),
        create: () => rendermime.createRenderer(WIDGET_VIEW_TYPE),
        watch(listener) {
          sessionContext.statusChanged.connect(listener);
          return () => void sessionContext.statusChanged.disconnect(listener);
        },
        beforeSave(listener) {
          const follow = (_context: unknown, state: string): void => {
            if (state === 'started') listener();
          };
          context.saveState.connect(follow);
          return () => void context.saveState.disconnect(follow);
        },
        isShared: () => context.model.collaborative === true
      };
      rendermime.addFactory(
        {
          safe: true,
          mimeTypes: [ARRAY_MIME_TYPE, PICTURE_MIME_TYPE],
          createRenderer: options =>
            new LazyOutput(async () => {
              const [{ LiveOutput }, { PictureRenderer }] = await Promise.all([
                import('./live-output.ts'),
                import('../views/picture-renderer.ts')
              ]);
              return new LiveOutput(() => new PictureRenderer(options), side);
            })
        },
        RANK
      );
    };
    tracker?.forEach(add);
    tracker?.widgetAdded.connect((_tracker, panel) => add(panel));
  }
};
export default plugin;

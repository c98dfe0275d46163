import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IRenderMimeRegistry } from '@jupyterlab/rendermime';

/** Matches the page of a link, independent of the notebook's folder. */
const PAGE = /\/docs\/((?:[\w-]+\/)?[\w-]+\.md)$/;

/** Handles the tutorials' links to `../docs/…`: copies of tutorials have no such folder, and JupyterLab would open the page as raw text. */
const plugin: JupyterFrontEndPlugin<void> = {
  id: 'stridelab:documentation',
  description: 'Opens documentation links in notebooks as rendered pages.',
  autoStart: true,
  requires: [IRenderMimeRegistry],
  optional: [INotebookTracker],
  activate: (app: JupyterFrontEnd, rendermime: IRenderMimeRegistry, notebooks: INotebookTracker | null) => {
    // Notebook 7 shows one document per page.
    if (app.name !== 'JupyterLab') return;
    const follow = (event: MouseEvent): void => {
      const link = event.target instanceof Element ? event.target.closest('a') : null;
      if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
      const ours =
        link.closest('.stridelab-documentation') !== null ||
        (link.closest('.jp-Notebook') !== null &&
          notebooks?.currentWidget?.model?.metadata['kernelspec']?.language === 'typescript');
      const page = ours && link.origin === location.origin ? PAGE.exec(link.pathname)?.[1] : undefined;
      if (page === undefined) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void import('../documentation/open-page.ts').then(({ openPage }) =>
        openPage(app, rendermime, page, link.hash.slice(1))
      );
    };
    document.body.addEventListener('click', follow, true);
  }
};
export default plugin;

/** Documentation pages, shipped with the extension's code and opened in separate tabs. */

import type { JupyterFrontEnd } from '@jupyterlab/application';
import { MainAreaWidget } from '@jupyterlab/apputils';
import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

const MARKDOWN = 'text/markdown';

/** Opens a page, or activates its tab, and scrolls to the heading of the anchor. */
export async function openPage(
  app: JupyterFrontEnd,
  rendermime: IRenderMimeRegistry,
  page: string,
  anchor: string
): Promise<void> {
  const id = `stridelab-documentation-${page}`;
  if (document.getElementById(id) === null) app.shell.add(await tabOf(app, rendermime, page, id), 'main');
  app.shell.activateById(id);
  const headings = document.getElementById(id)?.querySelectorAll('h1, h2, h3, h4') ?? [];
  const heading = [...headings].find(each => slugOf(each) === anchor);
  if (heading === undefined) return;
  await laidOut(heading);
  heading.scrollIntoView();
}

/** Waits for the layout of a new tab, which follows shortly after it is added. */
function laidOut(element: Element): Promise<void> {
  return new Promise(resolve => {
    const observer = new ResizeObserver(() => {
      if (element.clientHeight === 0) return;
      observer.disconnect();
      resolve();
    });
    observer.observe(element);
  });
}

async function tabOf(
  app: JupyterFrontEnd,
  rendermime: IRenderMimeRegistry,
  page: string,
  id: string
): Promise<MainAreaWidget> {
  const address = `${app.serviceManager.serverSettings.baseUrl}lab/extensions/stridelab/static/docs/${page}`;
  const response = await fetch(address);
  const text = response.ok ? await response.text() : `# ${page}\n\nThis page could not be loaded.`;
  const resolver = {
    resolveUrl: (url: string) => Promise.resolve(new URL(url, address).href),
    getDownloadUrl: (url: string) => Promise.resolve(url)
  };
  const content = rendermime.clone({ resolver }).createRenderer(MARKDOWN);
  content.addClass('stridelab-documentation');
  content.node.tabIndex = 0;
  content.node.style.cssText = 'overflow: auto; padding: 1em 2em;';
  await content.renderModel(rendermime.createModel({ data: { [MARKDOWN]: text } }));
  const tab = new MainAreaWidget({ content });
  tab.id = id;
  tab.title.label = content.node.querySelector('h1')?.firstChild?.textContent ?? page;
  tab.title.closable = true;
  return tab;
}

/** Computes the anchor of a heading as GitHub does. */
function slugOf(heading: Element): string {
  // JupyterLab adds a link to each heading.
  const text = [...heading.childNodes].filter(node => !isAnchor(node)).map(node => node.textContent);
  return text
    .join('')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\- _]/gu, '')
    .replaceAll(' ', '-');
}

function isAnchor(node: Node): boolean {
  return node instanceof Element && node.classList.contains('jp-InternalAnchorLink');
}

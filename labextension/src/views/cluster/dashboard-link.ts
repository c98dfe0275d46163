/** The link to Dask's dashboard. */

import { element, setAttribute, type Part } from '../kit/dom.ts';
import { __ } from '../kit/phrases.ts';

/**
 * Creates the link. It is hidden for an address that is not one of http or https, because the address comes from a saved notebook or a
 * setting. A path, as JupyterHub's proxies have, is one of the page's server.
 */
export function createDashboardLink(): Part<[address: string | null]> {
  const link = element('a', { target: '_blank', rel: 'noopener noreferrer' }, __('Dask dashboard'));
  return {
    element: link,
    update(address) {
      setAttribute(link, 'href', address);
      if (!/^https?:$/.test(link.protocol)) setAttribute(link, 'href', null);
      link.hidden = !link.hasAttribute('href');
      setAttribute(link, 'title', link.href || null);
    }
  };
}

/** The frontend of the Python package anywidget, which is an AMD module, in a page. */

import * as base from '@jupyter-widgets/base';
import { open, ourNames } from './module-page.ts';
import { TestManager } from './widget-manager.ts';

let classes: object | undefined;

/** Returns a function that opens widgets of anywidget on one page. */
export async function anywidgetPage() {
  const define = (_dependencies: unknown, create: (dependency: typeof base) => object): void => {
    classes = create(base);
  };
  Object.assign(globalThis, { define });
  // @ts-expect-error: the module has no exports and no types.
  await import('anywidget');
  const manager = new TestManager();
  manager.registered['anywidget'] = classes ?? {};
  const names = {
    ...ourNames,
    model_module: 'anywidget',
    view_module: 'anywidget',
    model_module_version: '~0.11.0',
    view_module_version: '~0.11.0'
  };
  return (state: Record<string, unknown>) => open(state, manager, names);
}

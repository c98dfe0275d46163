/** Loads a module from its source or address. */

import type { WidgetModule } from './types.ts';

interface Exports {
  readonly default?: WidgetModule | (() => WidgetModule | Promise<WidgetModule>);
  /** The older form, without a default export. */
  readonly render?: WidgetModule['render'];
}

/** Loads a module. @throws Error with a sentence if it exports no widget; otherwise the import's own error. */
export async function loadModule(source: string): Promise<WidgetModule> {
  const exports = await importSource(source);
  const { default: exported, render } = exports;
  if (exported === undefined && render !== undefined) return { render };
  if (exported === undefined)
    throw new Error(
      'The widget\'s module has no default export: end it with "export default { render }", where render is a function.'
    );
  return typeof exported === 'function' ? exported() : exported;
}

export function isAddress(source: string): boolean {
  return /^https?:\/\//.test(source);
}

async function importSource(source: string): Promise<Exports> {
  if (isAddress(source)) return (await import(/* webpackIgnore: true */ source)) as Exports;
  const url = URL.createObjectURL(new Blob([source], { type: 'text/javascript' }));
  try {
    return (await import(/* webpackIgnore: true */ url)) as Exports;
  } finally {
    URL.revokeObjectURL(url);
  }
}

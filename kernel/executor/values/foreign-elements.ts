/** Renders React and Preact elements with the packages that made them. */

import { inspect, types } from 'node:util';
import type { MimeBundle } from '../../../src/notebook/host.ts';
import { rendererSpecifiers } from '../../protocol/jsx-source.ts';

type Library = Parameters<typeof rendererSpecifiers>[0];
type Render = (element: unknown) => string;

/** Function of a library's renderer that returns the HTML of an element. */
const METHODS: Readonly<Record<Library, string>> = { react: 'renderToStaticMarkup', preact: 'render' };
const REACT_TYPES = new Set([Symbol.for('react.element'), Symbol.for('react.transitional.element')]);
/** Value of `constructor` in Preact's elements, so that JSON can never be an element: of version 10 and of version 11. */
const PREACT_MARKS = new Set<unknown>([undefined, Symbol.for('pv')]);

/**
 * Renders an element of another JSX runtime as HTML; returns undefined for other values. `load` imports a module as a cell does:
 * components share state with the renderer only if both were imported. `source` is whose JSX the notebook's cells have.
 */
export function renderElement(
  value: object,
  load: (specifier: string) => Promise<object>,
  source: string | undefined
): Promise<MimeBundle> | undefined {
  const library = libraryOf(value);
  return library === undefined ? undefined : bundle(value, library, load, source);
}

async function bundle(
  element: object,
  library: Library,
  load: (specifier: string) => Promise<object>,
  source: string | undefined
): Promise<MimeBundle> {
  const text = { 'text/plain': inspect(element, { depth: 2 }) };
  const render = await renderer(library, load, source);
  if (render !== undefined) return { ...text, 'text/html': render(element) };
  const install = rendererSpecifiers(library, undefined)[0]!.replace(/\/.*/, '');
  return { ...text, 'text/html': `<i>To see this element: <code>%npm install ${install}</code></i>` };
}

async function renderer(
  library: Library,
  load: (specifier: string) => Promise<object>,
  source: string | undefined
): Promise<Render | undefined> {
  for (const specifier of rendererSpecifiers(library, source)) {
    try {
      const module = (await load(specifier)) as Record<string, Render>;
      return module[METHODS[library]];
    } catch {
      // Not installed.
    }
  }
  return undefined;
}

function libraryOf(value: object): Library | undefined {
  // Elements are plain objects; a Proxy may throw on any access.
  if (typeof value !== 'object' || types.isProxy(value)) return undefined;
  const { $$typeof: type, constructor } = value as { $$typeof?: unknown; constructor?: unknown };
  if (typeof type === 'symbol' && REACT_TYPES.has(type)) return 'react';
  return PREACT_MARKS.has(constructor) && '__k' in value && 'props' in value ? 'preact' : undefined;
}

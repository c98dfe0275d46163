/** Renders React and Preact elements with the packages that made them. */

import { inspect, types } from 'node:util';
import { DISPLAY_METHOD, type Displayable, type MimeBundle } from '../../../src/notebook/host.ts';

interface Renderer {
  /** Name of the package, resolved from the notebook's folder. */
  readonly package: string;
  /** Name of the function that returns the element's HTML. */
  readonly method: string;
}

const REACT: Renderer = { package: 'react-dom/server', method: 'renderToStaticMarkup' };
const PREACT: Renderer = { package: 'preact-render-to-string', method: 'render' };
const REACT_TYPES = new Set([Symbol.for('react.element'), Symbol.for('react.transitional.element')]);

/** Returns the value; for an element of another JSX runtime, an object that shows it as HTML. */
export function displayableElement(value: unknown, require: NodeJS.Require): unknown {
  const renderer = rendererOf(value);
  if (renderer === undefined) return value;
  return {
    [DISPLAY_METHOD]: () => bundle(value, renderer, require),
    [inspect.custom]: () => value
  } satisfies Displayable & { [inspect.custom]: unknown };
}

function bundle(element: unknown, renderer: Renderer, require: NodeJS.Require): MimeBundle {
  const text = { 'text/plain': inspect(element, { depth: 2 }) };
  let methods: Record<string, (element: unknown) => string>;
  try {
    methods = require(renderer.package) as typeof methods;
  } catch {
    const install = renderer.package.replace(/\/.*/, '');
    return { ...text, 'text/html': `<i>To see this element: <code>%npm install ${install}</code></i>` };
  }
  return { ...text, 'text/html': methods[renderer.method]!(element) };
}

function rendererOf(value: unknown): Renderer | undefined {
  // Elements are plain objects; a Proxy may throw on any access.
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return undefined;
  const { $$typeof: type, constructor } = value as { $$typeof?: unknown; constructor?: unknown };
  if (typeof type === 'symbol' && REACT_TYPES.has(type)) return REACT;
  // Preact sets this property so that JSON can never be an element.
  return constructor === undefined && '__k' in value && 'props' in value ? PREACT : undefined;
}

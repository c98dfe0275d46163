/** The automatic JSX runtime of cells, imported by compiled JSX as `stridelab/jsx-runtime`: see "jsxImportSource" in TypeScript's documentation. */

import { Fragment, JsxElement, type JsxComponent, type JsxProps } from './element.ts';

export { Fragment, JsxElement, type JsxChild, type JsxComponent, type JsxProps } from './element.ts';
export type * as JSX from './types.ts';

/** Makes an element with its attributes; `key` is ignored. */
export function jsx(type: string | typeof Fragment | JsxComponent, props: JsxProps): JsxElement {
  if (typeof type !== 'string' && typeof type !== 'function' && type !== Fragment)
    throw new TypeError(
      `JSX component is ${type === undefined ? 'undefined (check its import)' : `of type ${typeof type}`}, expected a function or an element name`
    );
  return new JsxElement(type, props);
}

/** Makes an element with several children; compiled JSX calls it. */
export const jsxs = jsx;
/** Makes an element in development builds; compiled JSX calls it. */
export const jsxDEV = jsx;

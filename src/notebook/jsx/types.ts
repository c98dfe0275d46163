/** What the compiler asks of a JSX runtime: which elements there are, and their attributes. */

import type { Fragment, JsxChild, JsxComponent, JsxElement } from './element.ts';

export type Element = JsxElement;
export type ElementType = string | typeof Fragment | JsxComponent;

/** Names the attribute that holds what stands between the tags. */
export interface ElementChildrenAttribute {
  readonly children: unknown;
}

export interface IntrinsicAttributes {
  readonly key?: string | number | bigint;
}

/** Attributes of any element; those that are not named here are allowed with any value. */
export interface HtmlAttributes extends IntrinsicAttributes {
  readonly class?: string | readonly (string | false | null | undefined)[] | undefined;
  readonly className?: string | undefined;
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** CSS text, or properties by their names in either spelling; numbers are pixels where CSS wants a length. */
  readonly style?:
    string | Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  /** HTML that is put in as it is. It must not come from strangers. */
  readonly dangerouslySetInnerHTML?: { readonly __html: string };
  readonly children?: JsxChild;
  readonly [attribute: string]: unknown;
}

export interface IntrinsicElements {
  readonly [tag: string]: HtmlAttributes;
}

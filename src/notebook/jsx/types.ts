/** Types that the compiler requires of a JSX runtime: elements and their attributes. */

import type { Fragment, JsxChild, JsxComponent, JsxElement } from './element.ts';

export type Element = JsxElement;
export type ElementType = string | typeof Fragment | JsxComponent;

/** Names the attribute that holds the children. */
export interface ElementChildrenAttribute {
  readonly children: unknown;
}

export interface IntrinsicAttributes {
  readonly key?: string | number | bigint;
}

/** Attributes of any element; other attributes are allowed with any value. */
export interface HtmlAttributes extends IntrinsicAttributes {
  readonly class?: string | readonly (string | false | null | undefined)[] | undefined;
  readonly className?: string | undefined;
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** CSS text, or properties by name in either spelling; numbers are pixels if CSS expects a length. */
  readonly style?:
    string | Readonly<Record<string, string | number | boolean | null | undefined>> | undefined;
  /** HTML that is inserted unescaped. It must be trusted. */
  readonly dangerouslySetInnerHTML?: { readonly __html: string };
  readonly children?: JsxChild;
  readonly [attribute: string]: unknown;
}

export interface IntrinsicElements {
  readonly [tag: string]: HtmlAttributes;
}

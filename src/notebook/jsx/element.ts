/** Elements that JSX creates by default, which a notebook shows as HTML. */

import { inspect } from 'node:util';

import { DISPLAY_METHOD, type Displayable, type MimeBundle } from '../host.ts';
import { RENDER, renderChild, renderElement, type Html } from './render.ts';

/** Any child of an element; `false`, `true`, `null` and `undefined` show nothing. */
export type JsxChild =
  | JsxElement
  | Displayable
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | Iterable<JsxChild>
  | PromiseLike<JsxChild>;

export type JsxProps = Readonly<Record<string, unknown>>;

/** A component: a function of its attributes, with its children in `props.children`. May be async. */
export type JsxComponent<Props = never> = (props: Props) => JsxChild;

/** The type of `<>…</>`. */
export const Fragment = Symbol.for('stridelab.jsx-fragment');

/** An element of HTML or SVG, or a component, which is called when the element is shown. */
export class JsxElement implements Displayable {
  readonly type: string | typeof Fragment | JsxComponent;
  readonly props: JsxProps;

  constructor(type: string | typeof Fragment | JsxComponent, props: JsxProps) {
    this.type = type;
    this.props = props;
  }

  /** Returns the element's HTML. Throws `TypeError` if a part is asynchronous; use `toHtml` for those. */
  toString(): string {
    const html = this[RENDER]();
    if (typeof html === 'string') return html;
    html.catch(() => undefined);
    throw new TypeError(
      'A component in this element is async: use await element.toHtml() instead of toString()'
    );
  }

  /** Resolves with the element's HTML when every component has rendered. */
  async toHtml(): Promise<string> {
    return this[RENDER]();
  }

  [DISPLAY_METHOD](): MimeBundle | Promise<MimeBundle> {
    const html = this[RENDER]();
    return typeof html === 'string' ? bundleOf(html) : html.then(bundleOf);
  }

  [inspect.custom](): string {
    try {
      return this.toString();
    } catch (error) {
      return `[JSX that cannot be rendered: ${(error as Error).message}]`;
    }
  }

  /** Renders the element; called by enclosing elements. */
  [RENDER](): Html {
    const { type, props } = this;
    if (typeof type === 'string') return renderElement(type, props);
    if (type === Fragment) return renderChild(props['children']);
    return renderChild(callComponent(type as JsxComponent<JsxProps>, props));
  }
}

function bundleOf(html: string): MimeBundle {
  return { 'text/html': html, 'text/plain': html };
}

function callComponent(component: JsxComponent<JsxProps>, props: JsxProps): JsxChild {
  if (/^class\b/.test(Function.prototype.toString.call(component)))
    throw new TypeError(
      `The component ${component.name} is a class, but stridelab/jsx-runtime calls functions: set "jsxImportSource" to use React`
    );
  return component(props);
}

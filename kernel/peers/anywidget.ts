/** The package `@anywidget/deno`: widgets whose page half is a function of the cell. */

import { DISPLAY_METHOD, type Displayable, type DisplayResult } from '../../src/notebook/host.ts';
import { anywidget, type AnyWidget } from '../widgets/anywidget/any-widget.ts';

/** Options of `widget`. */
export interface WidgetOptions<State extends object> {
  /** The initial state. */
  readonly state: State;
  /** Draws the widget. It runs in the page: it can use `imports`, but no names of the notebook. */
  readonly render: (context: { readonly model: PageModel<State>; readonly el: PageElement }) => unknown;
  /** Lines of imports for `render`. */
  readonly imports?: string;
  /** Ignored: pages show the widget with Stridelab's extension. */
  readonly version?: string;
}

/** What every element of the page has, for notebooks without the types of the DOM. */
interface ElementOfPage {
  innerHTML: string;
  textContent: string | null;
  appendChild<Child>(child: Child): Child;
  append(...children: readonly unknown[]): void;
  addEventListener(event: string, listener: (event: unknown) => void): void;
}

type PageElement = typeof globalThis extends { HTMLElement: { prototype: infer Element } }
  ? Element
  : ElementOfPage;

interface PageModel<State extends object> extends Pick<WidgetModel<State>, 'get' | 'set'> {
  on(event: `change:${string & keyof State}` | 'msg:custom', callback: () => void): void;
  save_changes(): void;
}

/** The state of a widget, which shows itself as the last value of a cell. */
export class WidgetModel<State extends object> implements Displayable {
  readonly #widget: AnyWidget<State>;

  constructor(widget: AnyWidget<State>) {
    this.#widget = widget;
  }

  /** Returns a value of the state. */
  get<Name extends keyof State>(name: Name): State[Name] {
    return this.#widget.get(name as never);
  }

  /** Changes a value in the notebook and in every page. */
  set<Name extends keyof State>(name: Name, value: State[Name]): void {
    this.#widget.set({ [name]: value } as never);
  }

  /** Calls `callback` after each change of a value. */
  on(event: `change:${string & keyof State}`, callback: () => void): void {
    this.#widget.observe(event.slice('change:'.length) as never, () => callback());
  }

  [DISPLAY_METHOD](): DisplayResult | Promise<DisplayResult> {
    return this.#widget[DISPLAY_METHOD]();
  }
}

/** Makes a widget from a function that draws it in the page. */
export function widget<State extends object>({
  state,
  render,
  imports = ''
}: WidgetOptions<State>): WidgetModel<State> {
  const text = render.toString();
  const member = /^(?:async\s+)?(?:function\b|\(|[\w$]+\s*=>)/.test(text) ? `render: ${text}` : text;
  // What functions of a cell check after each await.
  const checks = text.includes('__stridelab') ? 'const __stridelab = { interrupted: false };\n' : '';
  return new WidgetModel(
    anywidget({
      esm: `${imports}\n${checks}export default { ${member} };`,
      state
    }) as unknown as AnyWidget<State>
  );
}

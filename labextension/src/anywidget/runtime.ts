/** Runs a model's module: loads it, initializes it once, renders it in every view, and repeats this when it changes. */

import type { WidgetModel } from '@jupyter-widgets/base';
import { moduleHost } from './host.ts';
import { experimentalOf } from './invoke.ts';
import { loadModule } from './load-module.ts';
import { moduleModel } from './module-model.ts';
import { showError } from './show-error.ts';
import { StyleUse } from './styles.ts';
import type { WidgetModule } from './types.ts';

const CLOSED = 'it was closed';

/** One rendered instance of the module. */
export interface Shown {
  /** Settles once the module was rendered, or an error is shown instead. */
  readonly shown: Promise<void>;
  dispose(): void;
}

interface View {
  readonly element: HTMLElement;
  /** The widgets whose views contain this one, outermost first. */
  readonly within: readonly Runtime[];
  /** Aborted when the view is removed or rendered again. */
  use: AbortController;
}

interface Loaded {
  readonly module: WidgetModule;
  /** The object that `initialize` returned for other widgets. */
  readonly exports: object | undefined;
}

const runtimes = new WeakMap<WidgetModel, Runtime>();

export function runtimeOf(model: WidgetModel): Runtime | undefined {
  return runtimes.get(model);
}

export class Runtime {
  readonly #model: WidgetModel;
  readonly #style: StyleUse;
  readonly #views = new Set<View>();
  /** Dispatches `reload` when the module is replaced. */
  readonly reloads = new EventTarget();
  /** Aborted when the current module is replaced. */
  #use = new AbortController();
  #current: Promise<Loaded | Error>;

  constructor(model: WidgetModel) {
    this.#model = model;
    this.#style = new StyleUse(String(model.get('_anywidget_id')));
    runtimes.set(model, this);
    const css = (): void => this.#style.show(String(model.get('_css') ?? ''));
    model.on('change:_css', css);
    model.on('change:_esm', () => this.#reload());
    model.once('destroy', () => this.#dispose());
    css();
    this.#current = this.#load(this.#use.signal);
  }

  /** Settles once the module was initialized or failed; never rejects. */
  get ready(): Promise<void> {
    return this.#current.then(() => undefined);
  }

  /** Returns the module's exports once it was initialized. @throws Error if the module failed or the widget was closed. */
  async exports(): Promise<object | undefined> {
    const loaded = await this.#current;
    if (loaded instanceof Error) throw loaded;
    return loaded.exports;
  }

  /** Renders the module in an element, again after each reload. `within` lists the widgets whose views contain the element. */
  show(element: HTMLElement, within: readonly Runtime[] = []): Shown {
    const view: View = { element, within, use: new AbortController() };
    this.#views.add(view);
    return {
      shown: this.#render(view),
      dispose: () => {
        this.#views.delete(view);
        view.use.abort();
      }
    };
  }

  #reload(): void {
    this.#end();
    this.#use = new AbortController();
    this.#current = this.#load(this.#use.signal);
    // Views of other widgets that used the old module remove what they show of it.
    this.reloads.dispatchEvent(new Event('reload'));
    for (const view of this.#views) void this.#render(view);
  }

  /** Ends the use of the module: first its views, which may need what `initialize` made. */
  #end(): void {
    for (const view of this.#views) view.use.abort();
    this.#use.abort();
  }

  /** Loads and initializes the module. Settles when the signal is aborted, even if the module never finishes. */
  #load(signal: AbortSignal): Promise<Loaded | Error> {
    const ended = new Promise<Error>(resolve =>
      signal.addEventListener('abort', () => resolve(new Error(CLOSED)))
    );
    return Promise.race([this.#initialize(signal).catch(asError), ended]);
  }

  async #initialize(signal: AbortSignal): Promise<Loaded> {
    const module = await loadModule(String(this.#model.get('_esm') ?? ''));
    if (signal.aborted) return { module, exports: undefined };
    const given = await module.initialize?.({
      model: moduleModel(this.#model, signal),
      signal,
      experimental: experimentalOf(this.#model)
    });
    if (typeof given === 'function') cleanUp(given as () => unknown, signal);
    return { module, exports: typeof given === 'object' ? (given ?? undefined) : undefined };
  }

  async #render(view: View): Promise<void> {
    view.use.abort();
    view.use = new AbortController();
    const { signal } = view.use;
    const loaded = await this.#current;
    if (signal.aborted) return;
    view.element.replaceChildren();
    try {
      if (loaded instanceof Error) throw loaded;
      const cleanup = await loaded.module.render?.({
        model: moduleModel(this.#model, signal),
        el: view.element,
        signal,
        host: moduleHost(
          {
            model: this.#model,
            within: [...view.within, this],
            signal,
            renderAgain: () => void this.#render(view)
          },
          runtimeOf
        ),
        experimental: experimentalOf(this.#model)
      });
      if (typeof cleanup === 'function') cleanUp(cleanup, signal);
    } catch (error) {
      if (!signal.aborted) showError(view.element, asError(error));
    }
  }

  #dispose(): void {
    this.#end();
    this.#views.clear();
    this.#current = Promise.resolve(new Error(CLOSED));
    this.#style.dispose();
    runtimes.delete(this.#model);
  }
}

/** Runs `cleanup` when `signal` is aborted, after the module's own listeners; failures are reported to the browser. */
function cleanUp(cleanup: () => unknown, signal: AbortSignal): void {
  const run = (): void => void new Promise(resolve => resolve(cleanup())).catch(reportError);
  if (signal.aborted) run();
  else signal.addEventListener('abort', run);
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Runs a model's module: loads it, initializes it once, renders it in every view, and repeats this when it changes. */

import type { WidgetModel } from '@jupyter-widgets/base';
import { moduleHost } from './host.ts';
import { experimentalOf } from './invoke.ts';
import { loadModule } from './load-module.ts';
import { moduleModel } from './module-model.ts';
import { StyleUse } from './styles.ts';
import type { WidgetModule } from './types.ts';

/** One rendered instance of the module. */
export interface Shown {
  /** Settles once the module was rendered, or an error is shown instead. */
  readonly shown: Promise<void>;
  dispose(): void;
}

interface View {
  readonly element: HTMLElement;
  readonly ended: AbortController;
}

const runtimes = new WeakMap<WidgetModel, Runtime>();

export function runtimeOf(model: WidgetModel): Runtime | undefined {
  return runtimes.get(model);
}

export class Runtime {
  readonly #model: WidgetModel;
  readonly #style: StyleUse;
  readonly #views = new Set<View>();
  #current: Promise<WidgetModule | Error>;
  /** Aborted when the current module is replaced. */
  #use = new AbortController();
  /** The result of `initialize`, for other widgets. */
  exports: unknown;

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

  show(element: HTMLElement): Shown {
    const view: View = { element, ended: new AbortController() };
    this.#views.add(view);
    return {
      shown: this.#render(view, this.#use.signal),
      dispose: () => {
        this.#views.delete(view);
        view.ended.abort();
      }
    };
  }

  #reload(): void {
    this.#use.abort();
    this.#use = new AbortController();
    this.#current = this.#load(this.#use.signal);
    for (const view of this.#views) void this.#render(view, this.#use.signal);
  }

  async #load(signal: AbortSignal): Promise<WidgetModule | Error> {
    try {
      const module = await loadModule(String(this.#model.get('_esm') ?? ''));
      if (signal.aborted) return module;
      const given = await module.initialize?.({
        model: moduleModel(this.#model, signal),
        signal,
        experimental: experimentalOf(this.#model)
      });
      if (typeof given === 'function') cleanUp(given as () => unknown, signal);
      else if (!signal.aborted) this.exports = given;
      return module;
    } catch (error) {
      return asError(error);
    }
  }

  async #render(view: View, use: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([use, view.ended.signal]);
    const module = await this.#current;
    if (signal.aborted) return;
    view.element.replaceChildren();
    try {
      if (module instanceof Error) throw module;
      const cleanup = await module.render?.({
        model: moduleModel(this.#model, signal),
        el: view.element,
        signal,
        host: moduleHost(this.#model, signal, runtimeOf),
        experimental: experimentalOf(this.#model)
      });
      if (typeof cleanup === 'function') cleanUp(cleanup, signal);
    } catch (error) {
      if (!signal.aborted) showError(view.element, asError(error));
    }
  }

  #dispose(): void {
    this.#use.abort();
    for (const view of this.#views) view.ended.abort();
    this.#views.clear();
    this.#style.dispose();
    runtimes.delete(this.#model);
  }
}

/** Runs `cleanup` once `signal` is aborted; failures are reported to the browser. */
function cleanUp(cleanup: () => unknown, signal: AbortSignal): void {
  const run = (): void => void Promise.resolve().then(cleanup).catch(reportError);
  if (signal.aborted) run();
  else signal.addEventListener('abort', run, { once: true });
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

function showError(element: HTMLElement, error: Error): void {
  const box = document.createElement('pre');
  box.className = 'stridelab-module-error';
  box.setAttribute('role', 'alert');
  const stack = error.stack ?? '';
  box.textContent = stack.includes(error.message) ? stack : `${error.name}: ${error.message}\n${stack}`;
  element.replaceChildren(box);
}

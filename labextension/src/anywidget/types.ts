/** The interface between a widget's module and its host, after anywidget's front-end module (AFM) convention. */

type Awaitable<Value> = Value | Promise<Value>;
type Cleanup = () => Awaitable<void>;
export type ModelListener = (...details: unknown[]) => void;

export interface ModuleModel {
  get(name: string): unknown;
  set(name: string | Record<string, unknown>, value?: unknown): void;
  save_changes(): void;
  on(event: string, listener: ModelListener): void;
  /** Removes a listener; without `listener` all listeners of the event, without `event` all of this module. */
  off(event?: string | null, listener?: ModelListener | null): void;
  send(content: unknown, callbacks?: unknown, buffers?: readonly (ArrayBuffer | ArrayBufferView)[]): void;
  readonly widget_manager: { get_model(id: string): Promise<unknown> };
}

export interface InvokeOptions {
  readonly buffers?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** Aborts the call. If omitted, the call times out after 3 seconds. */
  readonly signal?: AbortSignal;
}

export interface Experimental {
  /** Calls a command of the kernel; resolves to its answer and buffers. */
  invoke(name: string, message?: unknown, options?: InvokeOptions): Promise<[unknown, DataView[]]>;
}

export interface ModuleView {
  readonly el: HTMLElement;
  /** Ends the view when it is aborted; the view also ends with that of the module that rendered it. */
  readonly signal?: AbortSignal;
}

/** Resolves references of the form `anywidget:ID` or `IPY_MODEL_ID`, as they are in a widget's state. */
export interface ModuleHost {
  getModel(reference: string): Promise<ModuleModel>;
  /** Waits until the other widget's module was initialized. The view is rendered again when that module is replaced. */
  getWidget(reference: string): Promise<{
    readonly exports: unknown;
    render(view: ModuleView): Promise<void>;
  }>;
}

export interface InitializeOptions {
  readonly model: ModuleModel;
  /** Aborted when the module is replaced, and when the view is removed (`render`) or the widget is closed (`initialize`). */
  readonly signal: AbortSignal;
  readonly experimental: Experimental;
}

export interface RenderOptions extends InitializeOptions {
  readonly el: HTMLElement;
  readonly host: ModuleHost;
}

/** The module's default export, or its result if it is a function. Cleanup functions run while the signal is aborted. */
export interface WidgetModule {
  /** Called once per model. Returns a cleanup function, or an API for other widgets. */
  initialize?(options: InitializeOptions): Awaitable<void | Cleanup | object>;
  render?(options: RenderOptions): Awaitable<void | Cleanup>;
}

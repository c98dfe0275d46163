/** The convention between a widget's module and its host, after anywidget's front-end module (AFM) convention. */

type Awaitable<Value> = Value | Promise<Value>;
type Cleanup = () => Awaitable<void>;
export type ModelListener = (...details: unknown[]) => void;

/** The narrow model that modules get. */
export interface ModuleModel {
  get(name: string): unknown;
  set(name: string | Record<string, unknown>, value?: unknown): void;
  save_changes(): void;
  on(event: string, listener: ModelListener): void;
  /** Without a listener all of the event, without an event all of this module. */
  off(event?: string | null, listener?: ModelListener | null): void;
  send(content: unknown, callbacks?: unknown, buffers?: readonly (ArrayBuffer | ArrayBufferView)[]): void;
  readonly widget_manager: { get_model(id: string): Promise<unknown> };
}

export interface InvokeOptions {
  readonly buffers?: readonly (ArrayBuffer | ArrayBufferView)[];
  /** Gives up; after 3 seconds if left out. */
  readonly signal?: AbortSignal;
}

export interface Experimental {
  /** Calls a command of the kernel; gives its answer and buffers. */
  invoke(name: string, message?: unknown, options?: InvokeOptions): Promise<[unknown, DataView[]]>;
}

/** Another widget, by the reference that a state holds. */
export interface ModuleHost {
  getModel(reference: string): Promise<ModuleModel>;
  getWidget(reference: string): Promise<{
    readonly exports: unknown;
    render(options: { readonly el: HTMLElement; readonly signal?: AbortSignal }): Promise<void>;
  }>;
}

export interface InitializeOptions {
  readonly model: ModuleModel;
  readonly signal: AbortSignal;
  readonly experimental: Experimental;
}

export interface RenderOptions extends InitializeOptions {
  readonly el: HTMLElement;
  readonly host: ModuleHost;
}

/** What the module's default export is, or gives if it is a function. */
export interface WidgetModule {
  /** Once per model. Gives a cleanup, or what other widgets may use of this one. */
  initialize?(options: InitializeOptions): Awaitable<void | Cleanup | object>;
  /** Once per view. */
  render?(options: RenderOptions): Awaitable<void | Cleanup>;
}

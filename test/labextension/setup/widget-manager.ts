/** The real widget manager with a minimal comm: a page without a kernel. */

import * as base from '@jupyter-widgets/base';
import { ManagerBase } from '@jupyter-widgets/base-manager';
import { Signal } from '@lumino/signaling';
import * as ours from '../../../labextension/src/models/index.ts';

type CommMessage = {
  content: { comm_id: string; data: Record<string, unknown> };
  buffers?: readonly DataView[];
};
type CommCallback = (message: CommMessage) => void | Promise<void>;

/** Keeps the page's messages, and delivers those that the test sends as the kernel. */
export class RecordingComm implements base.IClassicComm {
  readonly comm_id: string;
  readonly target_name = 'jupyter.widget';
  readonly sent: Record<string, unknown>[] = [];
  /** The buffers of those messages. */
  readonly buffers: (readonly (ArrayBuffer | ArrayBufferView)[])[] = [];
  #deliver: CommCallback = () => undefined;
  #close: CommCallback = () => undefined;

  constructor(id: string) {
    this.comm_id = id;
  }

  open(): string {
    return '';
  }

  send(
    data: unknown,
    _callbacks?: unknown,
    _metadata?: unknown,
    buffers: readonly (ArrayBuffer | ArrayBufferView)[] = []
  ): string {
    this.sent.push(data as Record<string, unknown>);
    this.buffers.push(buffers);
    return '';
  }

  close(): string {
    return '';
  }

  on_msg(callback: CommCallback): void {
    this.#deliver = callback;
  }

  on_close(callback: CommCallback): void {
    this.#close = callback;
  }

  async receive(data: Record<string, unknown>, buffers: readonly DataView[] = []): Promise<void> {
    await this.#deliver({ content: { comm_id: this.comm_id, data }, buffers });
    // The model chains its work on an internal promise.
    await new Promise(resolve => setTimeout(resolve));
  }

  closeFromKernel(data: Record<string, unknown> = {}): void {
    void this.#close({ content: { comm_id: this.comm_id, data } });
  }
}

/** The kernel as models see it. */
class FakeKernel {
  readonly statusChanged = new Signal<this, string>(this);
  readonly connectionStatusChanged = new Signal<this, string>(this);
  readonly disposed = new Signal<this, void>(this);
}

export class TestManager extends ManagerBase {
  /** In the form that JupyterLab uses. */
  readonly kernel = new FakeKernel();
  /** The classes that extensions registered, by module. */
  readonly registered: Record<string, object> = { [ours.MODULE_NAME]: ours };

  protected override loadClass(
    className: string,
    moduleName: string
  ): Promise<typeof base.WidgetModel | typeof base.WidgetView> {
    const exports: Record<string, unknown> = { ...(this.registered[moduleName] ?? base) };
    const found = exports[className];
    if (!found) return Promise.reject(new Error(`no class ${className} in ${moduleName}`));
    return Promise.resolve(found as typeof base.WidgetModel);
  }

  protected override _create_comm(_target: string, id = 'comm'): Promise<base.IClassicComm> {
    return Promise.resolve(new RecordingComm(id));
  }

  protected override _get_comm_info(): Promise<object> {
    return Promise.resolve({});
  }
}

/** Widgets whose page half is an ES module sent by the kernel. */

import { DOMWidgetModel, DOMWidgetView } from '@jupyter-widgets/base';
import { cloneState } from '../anywidget/binary.ts';
import type * as Runtimes from '../anywidget/runtime.ts';
import { namesOf } from './version.ts';

/** Maximum time that messages wait for a slow module, in ms. */
const READY_TIMEOUT = 2000;

/** The module runtime, loaded with the first widget, since pictures do not need it. */
let anywidget: typeof Runtimes;

export class AnyModel extends DOMWidgetModel {
  static readonly model_name = 'AnyModel';

  override defaults() {
    return {
      ...super.defaults(),
      ...namesOf('Any'),
      _esm: '',
      _css: '',
      _anywidget_id: ''
    };
  }

  /** Loads the runtime; the widget manager waits for it before it creates a model. */
  static override async _deserialize_state(
    ...parameters: Parameters<typeof DOMWidgetModel._deserialize_state>
  ) {
    anywidget = await import('../anywidget/runtime.ts');
    return super._deserialize_state(...parameters);
  }

  override initialize(...parameters: Parameters<DOMWidgetModel['initialize']>): void {
    super.initialize(...parameters);
    new anywidget.Runtime(this);
  }

  /** Delays messages that would otherwise arrive before the module listens. */
  override async _handle_comm_msg(message: Parameters<DOMWidgetModel['_handle_comm_msg']>[0]): Promise<void> {
    const late = new Promise<void>(resolve => setTimeout(resolve, READY_TIMEOUT));
    await Promise.race([anywidget.runtimeOf(this)?.ready, late]);
    return super._handle_comm_msg(message);
  }

  /** Serializes with binary data: the base copies through JSON, which turns bytes into empty objects. The caller keeps using its argument. */
  override serialize(state: Record<string, unknown>): ReturnType<DOMWidgetModel['serialize']> {
    const own = Object.keys(state).filter(name => name !== 'layout' && name !== 'style');
    const copies = own.map(name => [name, cloneState(state[name])] as const);
    for (const name of own) delete state[name];
    super.serialize(state);
    return Object.assign(state, Object.fromEntries(copies)) as ReturnType<DOMWidgetModel['serialize']>;
  }
}

export class AnyView extends DOMWidgetView {
  static readonly view_name = 'AnyView';

  #shown: Runtimes.Shown | undefined;

  override render(): void {
    super.render();
    this.#shown = anywidget.runtimeOf(this.model)?.show(this.el);
  }

  override remove(): void {
    this.#shown?.dispose();
    super.remove();
  }
}

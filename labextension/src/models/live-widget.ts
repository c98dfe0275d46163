/** Model and view of a live picture. The kernel sends the state as one value; the page only sends requests. */

import { DOMWidgetModel, DOMWidgetView } from '@jupyter-widgets/base';
import type { Kernel, KernelMessage } from '@jupyterlab/services';
import type { JSONObject } from '@lumino/coreutils';
import {
  PICTURE_KEY,
  PROGRAM_ENDED,
  TAB_KEY,
  TEXTS_KEY,
  type ChosenTab,
  type PicturePlacement,
  type PictureTexts
} from '../../../src/pictures/kit/live-messages.ts';
import { staticBundle } from '../../../src/pictures/kit/static-picture.ts';
import { cloneState } from '../anywidget/binary.ts';
import { namesOf } from './version.ts';
import { findView, type ViewName } from '../views/catalogue.ts';
import type { View } from '../views/kit/view.ts';
import { exitedSentence, KernelChannel } from './kernel-channel.ts';
import { placedPictures, type PlaceName } from '../notebook/placed-pictures.ts';
import { shownPictures } from '../notebook/shown-pictures.ts';

export class LiveModel extends DOMWidgetModel {
  readonly channel = new KernelChannel(request => {
    // The base silently drops messages without a comm.
    if (!this.comm_live) throw new Error('no comm');
    this.send({ ...request } as JSONObject, {});
  });

  // The base serializer converts to JSON when a notebook is saved, which would lose the bytes.
  static override serializers = {
    ...DOMWidgetModel.serializers,
    [PICTURE_KEY]: { serialize: cloneState, deserialize: (value: unknown) => value }
  };

  /** Views on this page. The kernel's count covers all pages. */
  #views = 0;

  override initialize(...parameters: Parameters<DOMWidgetModel['initialize']>): void {
    super.initialize(...parameters);
    // A view follows: load its code early. A failure here recurs, and is shown, when the view is created.
    findView(this.pictureName)?.().catch(() => undefined);
    this.on('msg:custom', (content: unknown, buffers: readonly DataView[] = []) =>
      this.channel.receive(content, buffers)
    );
    this.on('comm_live_update', () => {
      if (this.comm_live) return;
      this.channel.offline = false;
      this.channel.abandon(exitedSentence());
    });
    if (!this.comm_live) return;
    followKernel(this);
    this.on('msg:custom', (content: unknown) => {
      if (isPlacement(content)) this.#place(content);
    });
    shownPictures.add(this.model_id, () => this.#bundle());
    this.on(`change:${PICTURE_KEY}`, () => shownPictures.tellChange(this.model_id));
    this.on('destroy', () => shownPictures.remove(this.model_id));
    // A closed page did not subtract its views. Other open pages correct the count.
    if (this.get('_view_count') > 0) tellViews(this, 0);
    this.on('change:_view_count', () => this.#correctCount());
  }

  /** The name in the catalogue: the model's name without `Model`. */
  get pictureName(): string {
    return String(this.get('_model_name')).slice(0, -'Model'.length);
  }

  #place({ where, label }: PicturePlacement): void {
    const { kernel } = this.widget_manager as { readonly kernel?: Kernel.IKernelConnection | null };
    if (!kernel) return;
    placedPictures.place({
      id: this.model_id,
      kernelId: kernel.id,
      where: where as PlaceName,
      label,
      bundle: (this.#bundle() ?? {}) as JSONObject,
      onEnd: listener => void this.once('destroy', listener)
    });
  }

  /** Returns the displayed picture in the form in which a notebook saves it. */
  #bundle(): ReturnType<typeof shownPictures.read> {
    const picture: unknown = this.get(PICTURE_KEY);
    const texts = this.get(TEXTS_KEY) as PictureTexts | null;
    if (picture === null || texts === null) return undefined;
    return staticBundle(this.pictureName, picture, texts);
  }

  /** Counts a view added to this page (1) or removed (-1). */
  countView(change: number): void {
    this.#views += change;
  }

  #correctCount(): void {
    const told: unknown = this.get('_view_count');
    if (this.comm_live && typeof told === 'number' && told < this.#views) tellViews(this, this.#views);
  }

  get connected(): boolean {
    return this.comm_live && !this.channel.offline;
  }

  /** Keeps the picture with its last state after the program ended. */
  override _handle_comm_closed(message: KernelMessage.ICommCloseMsg): void {
    if (message.content.data['reason'] !== PROGRAM_ENDED.reason) return super._handle_comm_closed(message);
    delete this.comm;
    this.comm_live = false;
  }
}

function tellViews(model: LiveModel, views: number): void {
  model.set('_view_count', views);
  model.save_changes();
}

/** Follows the kernel's state: JupyterLab's widget manager notifies models of manual restarts only, not of a shutdown or another kernel. */
function followKernel(model: LiveModel): void {
  const { kernel } = model.widget_manager as { readonly kernel?: Kernel.IKernelConnection | null };
  const end = (): void => {
    model.comm_live = false;
  };
  const follow = (_kernel: unknown, status: Kernel.Status): void => {
    if (status === 'dead' || status === 'autorestarting') end();
  };
  /** The widget manager fetches the latest state after a reconnect. */
  const reach = (_kernel: unknown, status: Kernel.ConnectionStatus): void => {
    model.channel.offline = model.comm_live && status !== 'connected';
    model.trigger('comm_live_update');
  };
  kernel?.disposed.connect(end);
  kernel?.statusChanged.connect(follow);
  kernel?.connectionStatusChanged.connect(reach);
  model.on('destroy', () => {
    kernel?.disposed.disconnect(end);
    kernel?.statusChanged.disconnect(follow);
    kernel?.connectionStatusChanged.disconnect(reach);
  });
}

export class LiveView extends DOMWidgetView {
  // Declared only: field initialisers run after the base constructor, which sets it.
  declare readonly model: LiveModel;
  #view: View | undefined;
  #removed = false;

  override initialize(parameters: Parameters<DOMWidgetView['initialize']>[0]): void {
    // Before the base, which then changes the kernel's count by one.
    let isCounted = false;
    this.once('displayed', () => {
      isCounted = true;
      this.model.countView(1);
    });
    this.once('remove', () => {
      if (isCounted) this.model.countView(-1);
    });
    super.initialize(parameters);
  }

  /** Renders the view; the manager waits for it. */
  override async render(): Promise<void> {
    super.render();
    const create = await findView(this.model.pictureName)?.();
    // Removed from the page while its code was loading.
    if (create === undefined || this.#removed) return;
    this.#view = create(this.el, { channel: this.model.channel });
    this.listenTo(this.model, `change:${PICTURE_KEY} comm_live_update`, () => this.#show());
    this.listenTo(this.model, `change:${TAB_KEY}`, () => this.#openTab());
    this.#show();
    this.#openTab();
  }

  override remove(): void {
    this.#removed = true;
    this.#view?.dispose();
    super.remove();
  }

  #openTab(): void {
    const chosen = this.model.get(TAB_KEY) as ChosenTab | null;
    if (chosen !== null) this.#view?.open?.(chosen.name);
  }

  #show(): void {
    this.#view?.update(this.model.get(PICTURE_KEY), this.model.connected);
  }
}

/** Makes the classes by which the widget manager finds a picture: `NAMEModel` and `NAMEView`. */
export function liveWidget(name: ViewName): {
  readonly Model: typeof LiveModel;
  readonly View: typeof LiveView;
} {
  class Model extends LiveModel {
    static readonly model_name = `${name}Model`;

    override defaults() {
      return {
        ...super.defaults(),
        ...namesOf(name),
        [PICTURE_KEY]: null,
        [TEXTS_KEY]: null,
        [TAB_KEY]: null
      };
    }
  }
  class View extends LiveView {
    static readonly view_name = `${name}View`;
  }
  return { Model, View };
}

function isPlacement(content: unknown): content is PicturePlacement {
  return (content as Partial<PicturePlacement> | null)?.kind === 'place';
}

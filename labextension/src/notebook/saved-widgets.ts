/**
 * Saves the state of controls in the notebook's metadata, where the widget manager and nbconvert read it: a notebook opened
 * without its kernel shows their last values. The manager does so itself only with a setting that is off by default.
 */

import type { ICodeCellModel } from '@jupyterlab/cells';
import type { NotebookPanel } from '@jupyterlab/notebook';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { JSONExt, type PartialJSONObject } from '@lumino/coreutils';
import {
  PICTURE_MIME_TYPE,
  WIDGET_VIEW_TYPE,
  ARRAY_MIME_TYPE
} from '../../../src/pictures/kit/live-messages.ts';
import { referencedId } from '../anywidget/reference.ts';

export const WIDGET_STATE_TYPE = 'application/vnd.jupyter.widget-state+json';
const METADATA_KEY = 'widgets';
/** Only notebooks of this kernel are handled. */
const IMPLEMENTATION = 'stridelab';
/** Delay between a change and its write to the metadata, in ms; a save does not wait for it. */
export const KEEP_PERIOD = 1000;

type States = Readonly<Record<string, PartialJSONObject>>;

interface WidgetManager {
  get_state_sync(options: { readonly drop_defaults: boolean }): { readonly state: States };
}

export class SavedWidgets {
  readonly #panel: NotebookPanel;
  #factory: unknown;
  #manager: WidgetManager | undefined;
  #isOurs = false;
  #written: States | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Model id per output; the id of an output never changes. */
  readonly #shown = new WeakMap<object, { readonly id: string | undefined }>();

  constructor(panel: NotebookPanel) {
    this.#panel = panel;
    const { context, sessionContext } = panel;
    const look = (): void => void this.#look();
    const save = (_context: unknown, state: string): void => {
      if (state === 'started') this.#keep();
    };
    sessionContext.statusChanged.connect(look);
    context.saveState.connect(save);
    panel.disposed.connect(() => {
      clearTimeout(this.#timer);
      sessionContext.statusChanged.disconnect(look);
      context.saveState.disconnect(save);
    });
    look();
  }

  /** Handles an answer, exit or change of the kernel. */
  async #look(): Promise<void> {
    const { content, context, sessionContext } = this.#panel;
    const factory = content.rendermime.getFactory(WIDGET_VIEW_TYPE);
    if (factory !== this.#factory && factory !== undefined) {
      this.#factory = factory;
      // Only the manager's renderers hold a reference to it.
      const renderer = content.rendermime.createRenderer(WIDGET_VIEW_TYPE) as IRenderMime.IRenderer & {
        readonly _manager?: { readonly promise: Promise<WidgetManager> };
      };
      void renderer._manager?.promise.then(manager => {
        if (factory === this.#factory) this.#manager = manager;
      });
      renderer.dispose();
      const info = await sessionContext.session?.kernel?.info.catch(() => undefined);
      if (factory === this.#factory) this.#isOurs = info?.implementation === IMPLEMENTATION;
    }
    if (this.#panel.isDisposed || context.model.collaborative === true) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#keep();
    }, KEEP_PERIOD);
  }

  /** Saves the state of the notebook's outputs; a difference marks the notebook as changed. */
  #keep(): void {
    const { model } = this.#panel.content;
    if (!this.#isOurs || this.#manager === undefined || model === null) return;
    const saved = model.getMetadata(METADATA_KEY) as Readonly<Record<string, { state?: States }>> | undefined;
    const before = saved?.[WIDGET_STATE_TYPE]?.state ?? {};
    const { state: now } = this.#manager.get_state_sync({ drop_defaults: true });
    // For models that closed with their kernel, keep the last saved state.
    const kept = reachable(this.#roots(), id => now[id] ?? before[id]);
    if (JSONExt.deepEqual(kept, this.#written ?? before)) return;
    if (Object.keys(kept).length > 0)
      model.setMetadata(METADATA_KEY, {
        [WIDGET_STATE_TYPE]: { version_major: 2, version_minor: 0, state: kept }
      });
    // State written by another program is kept until there is a replacement.
    else if (this.#written === undefined) return;
    else model.deleteMetadata(METADATA_KEY);
    this.#written = kept;
  }

  *#roots(): Iterable<string> {
    for (const cell of this.#panel.content.model?.cells ?? []) {
      if (cell.type !== 'code') continue;
      const { outputs } = cell as ICodeCellModel;
      for (let index = 0; index < outputs.length; index++) {
        const output = outputs.get(index);
        let shown = this.#shown.get(output);
        // Cached because reading the data of an output copies it.
        if (shown === undefined) this.#shown.set(output, (shown = { id: shownIn(output.data) }));
        if (shown.id !== undefined) yield shown.id;
      }
    }
  }
}

/** Returns the model that an output needs. A live picture needs none: the output contains its static form. */
function shownIn(data: IRenderMime.IMimeModel['data']): string | undefined {
  if (ARRAY_MIME_TYPE in data || PICTURE_MIME_TYPE in data) return undefined;
  const view = data[WIDGET_VIEW_TYPE] as { readonly model_id?: string } | undefined;
  return view?.model_id;
}

/** Selects the states of these models and of all models they reference, including from outputs that they contain. */
export function reachable(
  roots: Iterable<string>,
  stateOf: (id: string) => PartialJSONObject | undefined
): States {
  const found: Record<string, PartialJSONObject> = {};
  const add = (id: string): void => {
    const state = id in found ? undefined : stateOf(id);
    if (state === undefined) return;
    found[id] = state;
    visit(state['state']);
  };
  const visit = (value: unknown): void => {
    const id = referencedId(value);
    if (id !== undefined) add(id);
    if (typeof value !== 'object' || value === null) return;
    const { [WIDGET_VIEW_TYPE]: view } = value as Record<string, { readonly model_id?: unknown } | undefined>;
    if (typeof view?.model_id === 'string') add(view.model_id);
    Object.values(value).forEach(visit);
  };
  for (const id of roots) add(id);
  return found;
}

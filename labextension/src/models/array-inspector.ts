/** The live widget: the page's half of `inspect(array)`. State flows from the kernel; the page only sends requests. */

import { DOMWidgetModel, DOMWidgetView } from '@jupyter-widgets/base';
import type { ArrayInspectorState, InspectorRequest } from '../../../src/description/schema.ts';
import { createArrayInspector } from '../views/array-inspector/inspector.ts';
import type { ArrayInspector } from '../views/array-inspector/inspector.ts';
import { englishPhrases } from '../views/phrases.ts';
import type { Phrases } from '../views/phrases.ts';
import { MODULE_NAME, MODULE_VERSION } from '../version.ts';
import { InspectorRequests } from './inspector-requests.ts';

type ArrayKey = keyof ArrayInspectorState;
const ARRAY_KEY: ArrayKey = 'array';

export class ArrayInspectorModel extends DOMWidgetModel {
  static readonly model_name = 'ArrayInspectorModel';

  readonly #requests = new InspectorRequests(request => this.#send(request));

  override defaults() {
    return {
      ...super.defaults(),
      _model_module: MODULE_NAME,
      _model_module_version: MODULE_VERSION,
      _model_name: ArrayInspectorModel.model_name,
      _view_module: MODULE_NAME,
      _view_module_version: MODULE_VERSION,
      _view_name: ArrayInspectorView.view_name,
      // The base view reads the description's length as soon as a tooltip is set.
      description: '',
      [ARRAY_KEY]: null
    };
  }

  override initialize(...parameters: Parameters<DOMWidgetModel['initialize']>): void {
    super.initialize(...parameters);
    this.on('msg:custom', (content: unknown) => this.#requests.receive(content));
    this.on('comm_live_update', () => {
      if (!this.comm_live)
        this.#requests.abandon('The kernel is gone; the picture shows the last that it said.');
    });
  }

  /**
   * Asks the kernel to describe the array anew, after waiting for its streams if `synchronize`. The new description
   * arrives as a state update of its own.
   *
   * @throws Error whose message is a sentence to show.
   */
  request(method: InspectorRequest['method']): Promise<void> {
    return this.#requests.request(method);
  }

  #send(request: InspectorRequest): void {
    this.send({ ...request }, {});
  }
}

export class ArrayInspectorView extends DOMWidgetView {
  static readonly view_name = 'ArrayInspectorView';

  // Declared only: the base constructor runs before field initialisers, and rendering comes later than both.
  declare readonly model: ArrayInspectorModel;
  #inspector: ArrayInspector | undefined;

  override render(): void {
    super.render();
    this.#inspector = createArrayInspector(this.el, {
      phrases: this.phrases(),
      commands: {
        refresh: () => this.model.request('refresh'),
        synchronize: () => this.model.request('synchronize')
      }
    });
    this.listenTo(this.model, `change:${ARRAY_KEY} comm_live_update`, () => this.#show());
    this.#show();
  }

  override remove(): void {
    this.#inspector?.dispose();
    super.remove();
  }

  /** Overridden where a translator is at hand. */
  protected phrases(): Phrases {
    return englishPhrases;
  }

  #show(): void {
    this.#inspector?.update(this.model.get(ARRAY_KEY), this.model.comm_live);
  }
}

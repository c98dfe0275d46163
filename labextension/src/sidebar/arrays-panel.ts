/** The panel in the sidebar. Its view is loaded when it is first seen; its kernel tells nothing while it is not. */

import type { ITranslator } from '@jupyterlab/translation';
import { nullTranslator } from '@jupyterlab/translation';
import { Widget } from '@lumino/widgets';
import { TRANSLATION_DOMAIN } from '../views/phrases.ts';
import type { Grouping } from './arrange.ts';
import type { ArraysModel } from './arrays-model.ts';
import type { ArraysActions, ArraysView } from './arrays-view.ts';
import { arraysIcon } from './icon.ts';

export class ArraysPanel extends Widget {
  readonly model: ArraysModel;
  readonly #actions: ArraysActions;
  readonly #translator: ITranslator;
  #grouping: Grouping = 'storage';
  #view: Promise<ArraysView> | undefined;
  /** Once it is loaded. */
  view: ArraysView | undefined;
  readonly #onVisibility = (): void => this.#see();

  constructor(model: ArraysModel, actions: ArraysActions, translator: ITranslator | null) {
    super();
    this.model = model;
    this.#actions = actions;
    this.#translator = translator ?? nullTranslator;
    this.id = 'stridelab-arrays';
    this.title.icon = arraysIcon;
    const phrases = this.#translator.load(TRANSLATION_DOMAIN);
    this.title.caption = phrases.__('Arrays');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', phrases.__('Arrays'));
    document.addEventListener('visibilitychange', this.#onVisibility);
  }

  /** How the list is grouped. */
  set grouping(grouping: Grouping) {
    if (grouping === this.#grouping) return;
    this.#grouping = grouping;
    this.view?.group(grouping);
  }

  async takeFocus(): Promise<void> {
    (await this.#load()).focus();
  }

  override dispose(): void {
    if (this.isDisposed) return;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.view?.dispose();
    this.model.dispose();
    super.dispose();
  }

  protected override onAfterShow(): void {
    this.#see();
  }

  protected override onAfterAttach(): void {
    this.#see();
  }

  protected override onAfterHide(): void {
    this.#see();
  }

  protected override onBeforeDetach(): void {
    this.model.visible = false;
  }

  #see(): void {
    const seen = this.isVisible && document.visibilityState !== 'hidden';
    this.model.visible = seen;
    if (seen) void this.#load();
  }

  #load(): Promise<ArraysView> {
    this.#view ??= import('./arrays-view.ts').then(({ createArraysView }) => {
      const phrases = this.#translator.load(TRANSLATION_DOMAIN);
      this.view = createArraysView(this.node, phrases, this.model, this.#actions, this.#grouping);
      if (this.isDisposed) this.view.dispose();
      return this.view;
    });
    return this.#view;
  }
}

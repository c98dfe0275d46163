/** The sidebar panel. Its code is loaded when it is first visible; while it is hidden, the kernel sends it nothing. */

import { Widget } from '@lumino/widgets';
import type { Contents } from './contents.ts';
import { arraysIcon } from './icon.ts';
import { __ } from '../views/kit/phrases.ts';

export class ArraysPanel extends Widget {
  readonly #load: (host: HTMLElement) => Promise<Contents>;
  #loading: Promise<Contents> | undefined;
  #contents: Contents | undefined;
  readonly #onVisibility = (): void => this.#see();

  constructor(load: (host: HTMLElement) => Promise<Contents>) {
    super();
    this.#load = load;
    this.id = 'stridelab-arrays';
    this.title.icon = arraysIcon;
    this.title.caption = __('Arrays');
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', __('Arrays'));
    document.addEventListener('visibilitychange', this.#onVisibility);
  }

  /** Undefined until the panel was first visible. */
  get contents(): Contents | undefined {
    return this.#contents;
  }

  async loaded(): Promise<Contents> {
    this.#loading ??= this.#load(this.node);
    this.#contents = await this.#loading;
    if (this.isDisposed) this.#contents.dispose();
    else this.#contents.model.visible = this.#seen;
    return this.#contents;
  }

  override dispose(): void {
    if (this.isDisposed) return;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    this.#contents?.dispose();
    super.dispose();
  }

  override processMessage(message: Parameters<Widget['processMessage']>[0]): void {
    super.processMessage(message);
    this.#see();
  }

  get #seen(): boolean {
    return this.isVisible && document.visibilityState !== 'hidden';
  }

  #see(): void {
    if (this.#contents !== undefined) this.#contents.model.visible = this.#seen;
    else if (this.#seen) void this.loaded();
  }
}

/** The handle that `inspect` returns: its live picture may not be drawn yet, or may be closed. */

import { ArgumentError } from '../base/errors.ts';
import { DISPLAY_METHOD, PLACES, type MimeBundle, type OpenPicture, type Place } from '../notebook/host.ts';
import { textOf } from '../base/value-text.ts';

/**
 * A live picture that `inspect` opened. Calls made before the picture is drawn take effect once it is; calls
 * after its end do nothing. Outside a notebook there is no picture, and the calls do nothing.
 * @example inspect(w).show('values').place('right')
 */
export class Inspection<Tab extends string = string> {
  readonly #tabs: readonly Tab[];
  #picture: OpenPicture | undefined;
  #waiting: ((picture: OpenPicture) => void)[] = [];
  #closed = false;

  constructor(tabs: readonly Tab[]) {
    this.#tabs = tabs;
  }

  /** True after `close()`, and after the page closed the picture, or the kernel did because too many pictures had no view. */
  get closed(): boolean {
    return this.#closed || this.#picture?.closed === true;
  }

  /** Opens a tab of the picture, in all of its views. @throws ArgumentError if the picture has no such tab */
  show(tab: Tab): this {
    if (!this.#tabs.includes(tab)) {
      const known = this.#tabs.length === 0 ? 'this picture has no tabs' : `it has ${this.#tabs.join(', ')}`;
      throw new ArgumentError(`show: there is no tab ${textOf(tab)}; ${known}`);
    }
    this.#tell(picture => picture.openTab(tab));
    return this;
  }

  /** Opens another view of the picture beside or below the notebook, as a tab or in the sidebar, or moves it there. @throws ArgumentError */
  place(where: Place): this {
    if (!PLACES.includes(where))
      throw new ArgumentError(`place: ${textOf(where)} is not one of ${PLACES.join(', ')}`);
    this.#tell(picture => picture.place(where));
    return this;
  }

  /** Closes the picture: placed views close, and the cell keeps a snapshot of the last state. */
  close(): void {
    if (this.#closed) return;
    this.#tell(picture => picture.close());
    this.#closed = true;
  }

  /** Attaches the picture, which the kernel opens shortly after. */
  attach(picture: OpenPicture): void {
    this.#picture = picture;
    for (const act of this.#waiting.splice(0)) act(picture);
  }

  /** Displays nothing: the picture is already drawn. */
  [DISPLAY_METHOD](): MimeBundle {
    return {};
  }

  #tell(act: (picture: OpenPicture) => void): void {
    if (this.closed) return;
    if (this.#picture === undefined) this.#waiting.push(act);
    else act(this.#picture);
  }
}

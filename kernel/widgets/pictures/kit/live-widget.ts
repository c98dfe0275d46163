/** The kernel half of a live picture: answers the page's requests, and sends at most twenty updates a second while it is watched. */

import { isDeepStrictEqual } from 'node:util';
import {
  PICTURE_KEY,
  TAB_KEY,
  TEXTS_KEY,
  type ChosenTab,
  type Parameters,
  type PicturePlacement,
  type PicturePush,
  type PictureTexts
} from '../../../../src/pictures/kit/live-messages.ts';
import { staticBundle } from '../../../../src/pictures/kit/static-picture.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../../../src/notebook/host.ts';
import type { OpenPicture, Place } from '../../../../src/notebook/host.ts';
import { anything, int, nullable, text, withOptions } from '../../model/traits.ts';
import { Widget } from '../../model/widget.ts';
import { ownNames, type WidgetSpec } from '../../model/widget-spec.ts';
import { answerRequest, type Answer } from './requests.ts';

/** Minimum interval between updates in ms: at most 20 a second. */
export const UPDATE_PERIOD_MS = 50;

interface LiveProperties<Picture> {
  /** Number of views that show the picture; null if the page does not count them. */
  _view_count: number | null;
  description: string;
  [PICTURE_KEY]: Picture | null;
  [TEXTS_KEY]: PictureTexts | null;
  [TAB_KEY]: ChosenTab | null;
}

/** The static form of a picture, for pages without this widget, and its names in the page. */
interface Presentation<Picture> {
  /** Identifies the view in the page. */
  readonly name: string;
  /** Returns the title of a separate view. */
  readonly label: (picture: Picture) => string;
  /** Returns HTML and text, which are saved; also shown by JupyterLab once the model is closed. */
  readonly render: (picture: Picture) => PictureTexts;
}

function specOf<Picture>(name: string): WidgetSpec<LiveProperties<Picture>> {
  return {
    names: ownNames(name),
    traits: {
      _view_count: nullable(int(0), 0),
      description: text(''),
      [PICTURE_KEY]: withOptions(anything<Picture | null>(null), { echo: false }),
      [TEXTS_KEY]: withOptions(anything<PictureTexts | null>(null), { echo: false }),
      [TAB_KEY]: withOptions(anything<ChosenTab | null>(null), { echo: false })
    }
  };
}

export abstract class LiveWidget<Picture extends object>
  extends Widget<LiveProperties<Picture>>
  implements OpenPicture
{
  /** Presentation of `Picture`; the type is weaker, so that a widget of one picture is a widget of any. */
  readonly #presentation: Presentation<never>;
  #timer: NodeJS.Timeout | undefined;
  #polling: NodeJS.Timeout | undefined;
  /** Time at which the next refresh is due. */
  #due = 0;
  #lastUpdate = 0;
  /** Whether something changed while it was not watched. */
  #stale = false;
  #wasWatched = false;

  constructor(presentation: Presentation<Picture>, picture: Picture) {
    super(specOf<Picture>(presentation.name), () => {}, {
      [PICTURE_KEY]: picture,
      [TEXTS_KEY]: presentation.render(picture)
    });
    this.#presentation = presentation;
    this.on('close', () => this.#end());
    this.on('msg', content =>
      answerRequest(
        content,
        (method, parameters) => this.#answer(method, parameters),
        (response, buffers) => {
          if (!this.closed) this.send(response, buffers);
        }
      )
    );
    this.observe('_view_count', () => this.#viewsChanged());
  }

  override [DISPLAY_METHOD](): MimeBundle {
    const texts = this.get(TEXTS_KEY) as PictureTexts;
    return { ...super[DISPLAY_METHOD](), ...staticBundle(this.#presentation.name, this.picture, texts) };
  }

  get picture(): Picture {
    return this.get(PICTURE_KEY) as Picture;
  }

  /** Opens a tab, in current views and in later ones. */
  openTab(name: string): void {
    const turn = (this.get(TAB_KEY)?.turn ?? 0) + 1;
    this.set({ [TAB_KEY]: { name, turn } });
  }

  place(where: Place): void {
    const label = this.#presentation.label(this.picture as never);
    const placement: PicturePlacement = { kind: 'place', where, label };
    this.send(placement);
  }

  /** Returns the picture to show now. Never throws for a freed subject: the picture shows that state. */
  protected abstract describe(): Picture;

  /** Answers a request other than `refresh`; undefined for an unknown method. @throws Error whose message the page shows */
  protected answer(_method: string, _parameters: Parameters): Promise<Answer> | Answer {
    return undefined;
  }

  /** Called with true when the first view opens, and with false when the last one or the widget closes: sampling then stops. */
  protected watching(_watched: boolean): void {}

  /** Calls `work` every `period` milliseconds while the picture is watched; called by `watching`. */
  protected poll(period: number, work: () => void): void {
    clearInterval(this.#polling);
    this.#polling = this.watched ? setInterval(work, period).unref() : undefined;
  }

  protected get watched(): boolean {
    const count = this.get('_view_count');
    return !this.closed && (count === null || count > 0);
  }

  /** Refreshes within `period` milliseconds; an unwatched picture refreshes when it is watched again. */
  protected schedule(period = UPDATE_PERIOD_MS): void {
    this.#stale = true;
    if (!this.watched) return;
    const due = this.#lastUpdate + Math.max(period, UPDATE_PERIOD_MS);
    if (this.#timer !== undefined && this.#due <= due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    const refresh = (): void => {
      this.#timer = undefined;
      if (this.watched) this.refresh();
    };
    this.#timer = setTimeout(refresh, Math.max(0, due - performance.now())).unref();
  }

  protected refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#stale = false;
    this.#lastUpdate = performance.now();
    const picture = this.describe();
    // Polled pictures mostly equal the previous one, which needs no new texts.
    if (!isDeepStrictEqual(picture, this.picture))
      this.set({ [PICTURE_KEY]: picture, [TEXTS_KEY]: this.#presentation.render(picture as never) });
  }

  /** Sends data that is not part of the saved state. The caller keeps to 20 messages a second. */
  protected push(content: Parameters, buffers: readonly (ArrayBufferView | ArrayBufferLike)[] = []): void {
    const message: PicturePush = { kind: 'push', content };
    this.send(message, buffers);
  }

  #answer(method: string, parameters: Parameters): Promise<Answer> | Answer {
    if (method !== 'refresh') return this.answer(method, parameters);
    this.refresh();
    return {};
  }

  #viewsChanged(): void {
    const { watched } = this;
    if (watched === this.#wasWatched) return;
    this.#wasWatched = watched;
    this.watching(watched);
    if (watched && this.#stale) this.refresh();
  }

  #end(): void {
    clearTimeout(this.#timer);
    if (this.#wasWatched) this.watching(false);
    this.#wasWatched = false;
  }
}

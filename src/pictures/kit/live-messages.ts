/** Custom messages between a live picture in the page and its half in the kernel. Pure. Binary data travels beside them as buffers. */

/** JSON values by name. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Page to kernel. `id` matches the answer; each picture defines its methods and their parameters. */
export interface PictureRequest {
  readonly kind: 'request';
  readonly id: number;
  readonly method: string;
  readonly parameters?: Parameters;
}

/** Kernel to page: answers the request with that id. `error` is a sentence to show. */
export interface PictureResponse {
  readonly kind: 'response';
  readonly id: number;
  readonly content?: Parameters;
  readonly error?: string;
}

/** Kernel to page, without a request: data too large or too short-lived for the state that a notebook saves. */
export interface PicturePush {
  readonly kind: 'push';
  readonly content: Parameters;
}

/** Data of a `comm_close` because the program behind a widget ended: its last state may still be shown. */
export const PROGRAM_ENDED = { reason: 'program ended' } as const;

/** State key of a live widget for the complete content of its picture. */
export const PICTURE_KEY = 'picture';

export const TAB_KEY = 'tab';

/** The tab chosen by code. Choosing it again, after the user opened another one, increments `turn`. */
export interface ChosenTab {
  readonly name: string;
  readonly turn: number;
}

/** Kernel to page: opens another view of the picture beside the notebook. */
export interface PicturePlacement {
  readonly kind: 'place';
  /** A `Place` of src/notebook/host.ts. */
  readonly where: string;
  readonly label: string;
}

/** State key of a live widget for {@link PictureTexts}. */
export const TEXTS_KEY = 'texts';

/** A picture as HTML and as text, for pages and terminals that cannot draw it. */
export interface PictureTexts {
  readonly html: string;
  readonly text: string;
}

/** MIME type of a live widget in an output: `{ model_id }`. */
export const WIDGET_VIEW_TYPE = 'application/vnd.jupyter.widget-view+json';

export const ARRAY_MIME_TYPE = 'application/vnd.stridelab.array+json';

/** MIME type of the static form of all live pictures except an array's: a {@link StaticPicture}. */
export const PICTURE_MIME_TYPE = 'application/vnd.stridelab.picture+json';

export interface StaticPicture {
  /** Name in the catalogue of views: `StreamTimeline`. */
  readonly view: string;
  readonly picture: unknown;
}

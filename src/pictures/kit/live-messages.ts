/**
 * Custom messages between a live picture in the page and its half in the kernel. Pure types; imports neither Node nor the DOM. Bytes
 * travel beside a message as buffers.
 */

/** Values that JSON carries, by name. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Page to kernel. `id` matches the answer; what `method` may be, and which parameters it takes, is each picture's own. */
export interface PictureRequest {
  readonly kind: 'request';
  readonly id: number;
  readonly method: string;
  readonly parameters?: Parameters;
}

/** Kernel to page, answers the request of the same id. `error` is a sentence to show. */
export interface PictureResponse {
  readonly kind: 'response';
  readonly id: number;
  readonly content?: Parameters;
  readonly error?: string;
}

/** Kernel to page, without a request: what is too large or too short-lived for the state that is saved with a notebook. */
export interface PicturePush {
  readonly kind: 'push';
  readonly content: Parameters;
}

/**
 * Data of the `comm_close` by which a kernel says that the program behind a widget has ended, not that the widget was closed: the last
 * that it said may still be shown.
 */
export const PROGRAM_ENDED = { reason: 'program ended' } as const;

/** The key of a live widget's state that holds all of what its picture shows. */
export const PICTURE_KEY = 'picture';

/** The key of a live widget's state that holds {@link ChosenTab}. */
export const TAB_KEY = 'tab';

/** The tab that code chose. A person may open another one since: the same choice again is another `turn`. */
export interface ChosenTab {
  readonly name: string;
  readonly turn: number;
}

/** Kernel to page: opens another view of the picture beside the notebook. */
export interface PicturePlacement {
  readonly kind: 'place';
  /** As `Place` of src/pictures/inspection.ts. */
  readonly where: string;
  /** What the view is called. */
  readonly label: string;
}

/** The key of a live widget's state that holds {@link PictureTexts}. */
export const TEXTS_KEY = 'texts';

/** A picture as HTML and as text, for pages and terminals that cannot draw it. */
export interface PictureTexts {
  readonly html: string;
  readonly text: string;
}

/** What an output holds of a live widget: `{ model_id }`. */
export const WIDGET_VIEW_TYPE = 'application/vnd.jupyter.widget-view+json';

/** Content: the description of an array. */
export const ARRAY_MIME_TYPE = 'application/vnd.stridelab.array+json';

/** The static form of any live picture but an array's: `{ view, picture }`, the view's name and what it shows. */
export const PICTURE_MIME_TYPE = 'application/vnd.stridelab.picture+json';

/** Content of {@link PICTURE_MIME_TYPE}. */
export interface StaticPicture {
  /** As in the catalogue of views: `StreamTimeline`. */
  readonly view: string;
  readonly picture: unknown;
}

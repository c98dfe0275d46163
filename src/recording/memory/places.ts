/**
 * Where memory is asked for. What takes the engine longest is to write a stack as text, and a loop asks from the same place again and
 * again: a place is written once, and kept once for all that was made there.
 */

import { userFrames } from '../../core/call-stack.ts';

/** Frames that are read, and different places that are remembered. */
const FRAMES = 40;
const MOST_PLACES = 4096;

/** One call, which the engine writes as in a stack. */
type Site = NodeJS.CallSite & { toString(): string };

/** A stack of calls. */
export class Place {
  readonly #text: string;
  #frames: readonly string[] | undefined;

  /** `text`: as the engine writes it. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Innermost first, those of the library left out; looked up when first asked for. */
  get frames(): readonly string[] {
    this.#frames ??= this.#text === '' ? [] : userFrames(this.#text);
    return this.#frames;
  }
}

export const NOWHERE = new Place('');

export class Places {
  readonly #known = new Map<string, Place>();

  /** The stack of the caller. Keeps no function and no `this` of it, as an `Error` with an unread stack would. */
  here(): Place {
    const { stackTraceLimit, prepareStackTrace } = Error;
    Error.stackTraceLimit = FRAMES;
    Error.prepareStackTrace = this.#find;
    const found: unknown = new Error().stack;
    Error.stackTraceLimit = stackTraceLimit;
    Error.prepareStackTrace = prepareStackTrace;
    return found instanceof Place ? found : NOWHERE;
  }

  readonly #find = (_error: Error, sites: readonly Site[]): Place => {
    let key = '';
    // Code without a name has nothing but its text to be known by.
    for (const site of sites)
      key += `${site.getScriptNameOrSourceURL() || site.toString()}:${site.getPosition()}\n`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_PLACES) this.#known.clear();
    const place = new Place(sites.map(site => `    at ${site.toString()}`).join('\n'));
    this.#known.set(key, place);
    return place;
  };
}

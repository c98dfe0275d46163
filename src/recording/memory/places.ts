/** Stacks of memory requests. Formatting one is expensive, and a loop repeats it, so each distinct stack is formatted once. */

import { userFrames } from '../../core/call-stack.ts';

/** Maximum number of frames read, and of distinct stacks kept. */
const FRAMES = 40;
const MOST_PLACES = 4096;

/** One call, formatted by the engine as in a stack. */
type Site = NodeJS.CallSite & { toString(): string };

/** A stack of calls. */
export class Place {
  readonly #text: string;
  #frames: readonly string[] | undefined;

  /** `text`: the stack as the engine formats it. */
  constructor(text: string) {
    this.#text = text;
  }

  /** Frames innermost first, without those of the library; parsed on first use. */
  get frames(): readonly string[] {
    this.#frames ??= this.#text === '' ? [] : userFrames(this.#text);
    return this.#frames;
  }
}

export const NOWHERE = new Place('');

export class Places {
  readonly #known = new Map<string, Place>();

  /** Returns the caller's stack. Keeps no function and no `this` alive, unlike an `Error` with an unread stack. */
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
    // Code without a script name is identified by its text.
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

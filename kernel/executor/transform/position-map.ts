/** Maps positions in the running script to the cell's TypeScript, through its rewritings. */

import {
  GREATEST_LOWER_BOUND,
  LEAST_UPPER_BOUND,
  originalPositionFor,
  TraceMap,
  type EncodedSourceMap
} from '@jridgewell/trace-mapping';
import type MagicString from 'magic-string';
import type { SourcedText } from './kernel-sources.ts';
import type { Position } from './positions.ts';

type Bias = typeof GREATEST_LOWER_BOUND | typeof LEAST_UPPER_BOUND;

const START: Position = { line: 1, column: 0 };

type ToSource = (position: Position, forward?: boolean) => Position | null;

/** A lazy map: cells that throw nothing do not pay for it. */
export class PositionMap {
  readonly #text: MagicString;
  readonly #stripped: string;
  #strippedTrace: TraceMap | undefined;
  #scriptTrace: TraceMap | undefined;

  readonly #original: SourcedText['original'];

  /** Constructs the map. `text` is edited later; look-ups use its state at that time. `stripped` maps to the text of `original`. */
  constructor(text: MagicString, stripped: EncodedSourceMap, { original }: Pick<SourcedText, 'original'>) {
    this.#text = text;
    this.#stripped = stripped.mappings;
    this.#original = original;
  }

  /** The cell's code without types, as printed by oxc. */
  get strippedCode(): string {
    return this.#text.original;
  }

  /** Maps a position; returns the start of the cell if it has no origin. Never fails. */
  strippedToSource(position: Position): Position {
    this.#strippedTrace ??= traceMap(this.#stripped);
    const place = trace(this.#strippedTrace, position);
    return (place === null ? null : this.#original(place)) ?? START;
  }

  /** Maps a position; null for code that the kernel added. With `forward`, code added to the start of a line stands for what follows. */
  scriptToSource(position: Position, forward = false): Position | null {
    this.#strippedTrace ??= traceMap(this.#stripped);
    this.#scriptTrace ??= traceMap(this.#text.generateMap({ hires: true }).mappings);
    return traceBoth(this.#scriptTrace, this.#strippedTrace, this.#original, position, forward);
  }

  /** Returns a function that does what `scriptToSource` does, in less memory: it maps a position within a word to the word's start. */
  compact(): ToSource {
    return compactMap(this.#text.generateMap({ hires: 'boundary' }).mappings, this.#stripped, this.#original);
  }
}

/** Apart from the class, so that the function retains no map with its edited text. */
function compactMap(script: string, stripped: string, original: SourcedText['original']): ToSource {
  let decoded: WeakRef<readonly [TraceMap, TraceMap]> | undefined;
  return (position, forward = false) => {
    const traces = decoded?.deref() ?? ([traceMap(script), traceMap(stripped)] as const);
    decoded = new WeakRef(traces);
    return traceBoth(...traces, original, position, forward);
  };
}

function traceBoth(
  script: TraceMap,
  stripped: TraceMap,
  original: SourcedText['original'],
  position: Position,
  forward: boolean
): Position | null {
  const inStripped = trace(script, position) ?? (forward ? trace(script, position, LEAST_UPPER_BOUND) : null);
  if (inStripped === null) return null;
  const place = trace(stripped, inStripped);
  return place === null ? START : original(place);
}

function traceMap(mappings: string): TraceMap {
  return new TraceMap({ version: 3, sources: ['cell'], names: [], mappings });
}

function trace(map: TraceMap, position: Position, bias: Bias = GREATEST_LOWER_BOUND): Position | null {
  const { line, column } = originalPositionFor(map, { ...position, bias });
  return line === null || column === null ? null : { line, column };
}

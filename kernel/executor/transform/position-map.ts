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

/** A lazy map: cells that throw nothing do not pay for it. */
export class PositionMap {
  readonly #text: MagicString;
  readonly #encoded: EncodedSourceMap;
  #strippedTrace: TraceMap | undefined;
  #scriptTrace: TraceMap | undefined;

  readonly #original: SourcedText['original'];

  /** Constructs the map. `text` is edited later; look-ups use its state at that time. `stripped` maps to the text of `original`. */
  constructor(text: MagicString, stripped: EncodedSourceMap, { original }: Pick<SourcedText, 'original'>) {
    this.#text = text;
    this.#encoded = stripped;
    this.#original = original;
  }

  /** The cell's code without types, as printed by oxc. */
  get strippedCode(): string {
    return this.#text.original;
  }

  /** Maps a position; returns the start of the cell if it has no origin. Never fails. */
  strippedToSource(position: Position): Position {
    const place = this.#traceStripped(position);
    return (place === null ? null : this.#original(place)) ?? START;
  }

  /** Maps a position; null for code that the kernel added. With `forward`, code added to the start of a line stands for what follows. */
  scriptToSource(position: Position, forward = false): Position | null {
    this.#scriptTrace ??= new TraceMap(
      this.#text.generateMap({ source: 'cell', hires: true }) as unknown as EncodedSourceMap
    );
    const stripped =
      trace(this.#scriptTrace, position) ??
      (forward ? trace(this.#scriptTrace, position, LEAST_UPPER_BOUND) : null);
    if (stripped === null) return null;
    const place = this.#traceStripped(stripped);
    return place === null ? START : this.#original(place);
  }

  #traceStripped(position: Position): Position | null {
    this.#strippedTrace ??= new TraceMap(this.#encoded);
    return trace(this.#strippedTrace, position);
  }
}

function trace(map: TraceMap, position: Position, bias: Bias = GREATEST_LOWER_BOUND): Position | null {
  const { line, column } = originalPositionFor(map, { ...position, bias });
  return line === null || column === null ? null : { line, column };
}

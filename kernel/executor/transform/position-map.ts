/** The way back from the script that runs to the cell's TypeScript, through both rewritings. */

import { originalPositionFor, TraceMap, type EncodedSourceMap } from '@jridgewell/trace-mapping';
import type MagicString from 'magic-string';
import type { Position } from './positions.ts';

/** Traces lazily: a cell that raises nothing pays nothing. */
export class PositionMap {
  readonly #text: MagicString;
  readonly #encoded: EncodedSourceMap;
  #strippedTrace: TraceMap | undefined;
  #scriptTrace: TraceMap | undefined;

  /** `text` is edited after this; the map follows its state at the time of a question. */
  constructor(text: MagicString, stripped: EncodedSourceMap) {
    this.#text = text;
    this.#encoded = stripped;
  }

  /** The cell's code without types, as oxc printed it. */
  get strippedCode(): string {
    return this.#text.original;
  }

  /** Never fails: a place without an origin gives the start of the cell. */
  strippedToSource(position: Position): Position {
    this.#strippedTrace ??= new TraceMap(this.#encoded);
    return trace(this.#strippedTrace, position) ?? { line: 1, column: 0 };
  }

  scriptToSource(position: Position): Position | null {
    this.#scriptTrace ??= new TraceMap(
      this.#text.generateMap({ source: 'cell', hires: true }) as unknown as EncodedSourceMap
    );
    const stripped = trace(this.#scriptTrace, position);
    return stripped === null ? null : this.strippedToSource(stripped);
  }
}

function trace(map: TraceMap, position: Position): Position | null {
  const { line, column } = originalPositionFor(map, position);
  return line === null || column === null ? null : { line, column };
}

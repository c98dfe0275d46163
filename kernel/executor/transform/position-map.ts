/** Maps positions in the running script to the cell's TypeScript, through both rewritings. */

import { originalPositionFor, TraceMap, type EncodedSourceMap } from '@jridgewell/trace-mapping';
import type MagicString from 'magic-string';
import type { Position } from './positions.ts';

/** A lazy map: cells that throw nothing do not pay for it. */
export class PositionMap {
  readonly #text: MagicString;
  readonly #encoded: EncodedSourceMap;
  #strippedTrace: TraceMap | undefined;
  #scriptTrace: TraceMap | undefined;

  /** Constructs the map. `text` is edited later; look-ups use its state at that time. */
  constructor(text: MagicString, stripped: EncodedSourceMap) {
    this.#text = text;
    this.#encoded = stripped;
  }

  /** The cell's code without types, as printed by oxc. */
  get strippedCode(): string {
    return this.#text.original;
  }

  /** Maps a position; returns the start of the cell if it has no origin. Never fails. */
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

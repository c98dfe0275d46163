import { COMPLETION_VALUE } from '../transform/completion-value.ts';
import type { Position } from '../transform/positions.ts';

/** Offsets of the last expression from where V8 stops: the expression, its statement, or the call that takes the result. */
const TO_RESULT = [0, 'result('.length, '__stridelab.result('.length, `${COMPLETION_VALUE} = `.length];

/** Returns the place in a cell at which its script stops; null for code that the kernel added, except around the last expression. */
export function stopPlace(
  toSource: (position: Position) => Position | null,
  { line, column }: Position
): Position | null {
  for (const length of TO_RESULT) {
    const place = toSource({ line, column: column + length });
    if (place !== null) return place;
  }
  return null;
}

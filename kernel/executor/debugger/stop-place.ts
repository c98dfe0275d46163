import type { Position } from '../transform/positions.ts';

/** Between where V8 stops, at the call that takes the cell's result or at its statement, and the expression that it takes. */
const TO_RESULT = [0, 'result('.length, '__stridelab.result('.length];

/**
 * The place in a cell at which its script stops; null for code that the kernel added. The call around the last
 * expression stands for the expression, which may have no place of its own to stop at.
 */
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

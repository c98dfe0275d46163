/** Shapes as text. A separate file, because pages format shapes and check none. */

/** Formats a shape like a Python tuple: `(3, 4)`, `(3,)`, `()`. */
export function formatShape(shape: readonly number[]): string {
  return shape.length === 1 ? `(${shape[0]},)` : `(${shape.join(', ')})`;
}

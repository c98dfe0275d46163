/** Arrays with values like those that peer.py makes. */
import { add, astype, greater, multiply, ones, RandomGenerator, zeros } from 'stridelab';

const random = new RandomGenerator(1);

/** @param {string} kind @param {number} first the first length */
function bounds(kind, first) {
  if (kind === 'small') return /** @type {const} */ ([0, 6]);
  if (kind === 'positive') return /** @type {const} */ ([1, 7]);
  return /** @type {const} */ (kind === 'wide' ? [0, 100] : [0, first]);
}

/** @param {string} kind @param {string} dtype @param {readonly number[]} shape */
export function values(kind, dtype, shape) {
  if (kind === 'zero') return zeros(shape, { dtype });
  if (kind === 'one') return ones(shape, { dtype });
  if (kind === 'normal') {
    const made = random.normal(shape);
    return astype(dtype === 'complex64' ? multiply(made, { re: 1, im: 1 }) : made, dtype);
  }
  const made = random.integers(...bounds(kind, shape[0] ?? 1), shape, { dtype: 'int32' });
  if (dtype === 'bool') return greater(made, 2);
  return astype(dtype.includes('int') ? made : add(made, random.uniform(shape, { dtype: 'float32' })), dtype);
}

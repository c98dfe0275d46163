/** MurmurHash2 by Austin Appleby, 32 bits, over UTF-8: the hash by which Jupyter's debugger clients identify cells. */

const MULTIPLIER = 0x5bd1e995;
const ROTATION = 24;
const WORD = 4;

/** Returns the hash as an unsigned 32-bit number. */
export function murmur2(text: string, seed: number): number {
  const bytes = Buffer.from(text);
  const whole = bytes.length - (bytes.length % WORD);
  let hash = seed ^ bytes.length;
  for (let offset = 0; offset < whole; offset += WORD) {
    let word = Math.imul(bytes.readUInt32LE(offset), MULTIPLIER);
    word ^= word >>> ROTATION;
    hash = Math.imul(hash, MULTIPLIER) ^ Math.imul(word, MULTIPLIER);
  }
  if (whole < bytes.length) {
    hash = Math.imul(hash ^ bytes.readUIntLE(whole, bytes.length - whole), MULTIPLIER);
  }
  hash = Math.imul(hash ^ (hash >>> 13), MULTIPLIER);
  return (hash ^ (hash >>> 15)) >>> 0;
}

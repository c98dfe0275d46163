/** Divides long rows among the blocks of a GPU. Pure. */

/** The number of blocks that fills a large GPU several times over. */
export const MANY_BLOCKS = 1024;

/** Returns into how many chunks to divide rows that take `blocks` blocks: many blocks in all, and at most `most` chunks. */
export const chunksFor = (blocks: number, most: number, many = MANY_BLOCKS): number =>
  Math.max(1, Math.min(Math.floor(many / blocks), Math.ceil(most)));

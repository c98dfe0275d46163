/** `Deno` for cells that name it, imported as `stridelab/deno`: the calls that notebooks for Deno's kernel use, on Node. */

export * as Deno from './namespace.ts';

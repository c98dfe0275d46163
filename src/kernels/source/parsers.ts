/** The parsers of TypeScript, which `parse.ts` loads when there is something to parse. */

import { tsPlugin } from '@sveltejs/acorn-typescript';
import { Parser } from 'acorn';

/** Skips checks of names, since types and values may share one and cells may use those of other cells. */
const withoutNameChecks = (Base: typeof Parser): typeof Parser =>
  class extends (Base as unknown as new (...parameters: unknown[]) => object) {
    declareName(): void {}

    raiseRecoverable(): void {}
  } as unknown as typeof Parser;

export const ts = Parser.extend(tsPlugin(), withoutNameChecks);
export const tsx = Parser.extend(tsPlugin({ jsx: true }), withoutNameChecks);

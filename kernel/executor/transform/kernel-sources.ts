/** Attaches sources to the kernels of a text before its types are removed. */

import { annotate, type TextOrigin } from '../../../src/kernels/source/annotate.ts';
import { inserted, originalPlace } from '../../../src/kernels/source/insertions.ts';
import type { CellLanguage } from '../../protocol/cell-language.ts';
import { CellSyntaxError, type Position } from './positions.ts';

/** A text with the sources of its kernels. */
export interface SourcedText {
  readonly code: string;
  /** Returns the place in the text without them; null for what was added. */
  original(position: Position): Position | null;
}

/** Converts a text with the sources of its kernels, where `cuda` has these names; without them if that fails, so that the text is reported as it was written. */
export function withKernelSources<Result>(
  source: string,
  origin: TextOrigin,
  lang: CellLanguage,
  names: ReadonlySet<string>,
  convert: (text: SourcedText) => Result
): Result {
  const insertions = annotate(source, origin, lang, names);
  if (insertions.length === 0) return convert({ code: source, original: position => position });
  try {
    return convert({
      code: inserted(source, insertions),
      original: position => originalPlace(source, insertions, position)
    });
  } catch (error) {
    if (!(error instanceof CellSyntaxError)) throw error;
    return convert({ code: source, original: position => position });
  }
}

/** `name?` and `?name` as cells: help on the name is shown in the pager, as in IPython. Never valid TypeScript. */

import type { MimeBundle } from '../../../src/notebook/host.ts';
import type { Payload } from '../../../src/notebook/payload.ts';

export interface HelpRequest {
  readonly name: string;
  /** Level of `inspect_request`: 1 for two question marks. */
  readonly detail: 0 | 1;
}

const NAME = String.raw`[\p{ID_Start}$_][\p{ID_Continue}$]*(?:\.[\p{ID_Start}$_#][\p{ID_Continue}$]*)*`;
const AFTER = new RegExp(String.raw`^\s*(${NAME})(\?{1,2})\s*$`, 'u');
const BEFORE = new RegExp(String.raw`^\s*(\?{1,2})\s*(${NAME})\s*$`, 'u');

/** Returns the help request of a cell; undefined if the cell is to be executed. */
export function helpRequest(code: string): HelpRequest | undefined {
  const [name, marks] = AFTER.exec(code)?.slice(1) ?? BEFORE.exec(code)?.slice(1).reverse() ?? [];
  return name === undefined ? undefined : { name, detail: marks === '??' ? 1 : 0 };
}

/** Returns the payload for the pager, or a message instead; `inspect` returns the content of an `inspect_reply`. */
export async function helpContent(
  name: string,
  inspect: () => Promise<object>
): Promise<{ readonly payload: readonly Payload[]; readonly message?: string }> {
  try {
    const { found, data } = (await inspect()) as { readonly found?: boolean; readonly data?: MimeBundle };
    if (found !== true || data === undefined)
      return { payload: [], message: `Object \`${name}\` not found.\n` };
    return { payload: [{ source: 'page', data, start: 0 }] };
  } catch (error) {
    return { payload: [], message: `No documentation for \`${name}\`: ${(error as Error).message}\n` };
  }
}

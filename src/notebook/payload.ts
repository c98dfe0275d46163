/** Payloads, which the frontend handles when a cell ends: show a text in the pager, or put code into the next cell. */

import { notebookHost, type MimeBundle } from './host.ts';

/** A payload of Jupyter's `execute_reply`. */
export type Payload =
  | { readonly source: 'page'; readonly data: MimeBundle; readonly start: number }
  | { readonly source: 'set_next_input'; readonly text: string; readonly replace: boolean };

/** Shows text, or MIME types with at least `text/plain`, in the frontend's pager when the cell ends; prints it in a plain program. */
export function page(content: string | MimeBundle): void {
  const data = typeof content === 'string' ? { 'text/plain': content } : content;
  const text = data['text/plain'];
  if (!hand({ source: 'page', data, start: 0 }))
    process.stdout.write(`${typeof text === 'string' ? text : ''}\n`);
}

/** Puts `text` into a new cell below the running one, or replaces the running cell's text; prints it in a plain program. */
export function setNextInput(text: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  if (!hand({ source: 'set_next_input', text, replace })) process.stdout.write(`${text}\n`);
}

function hand(payload: Payload): boolean {
  const host = notebookHost();
  host?.payload?.(payload);
  return host?.payload !== undefined;
}

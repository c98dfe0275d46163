/**
 * HTML that notebook sanitizers let through, and that reads well where they take its styles away: tables, lists, details, no script, no
 * style element, no svg, no class.
 */

/** Most bytes of UTF-8 in the HTML of a picture: a notebook of many pictures must not grow by megabytes. */
export const MOST_HTML = 10_000;
/** Room for what stands around parts that are added one by one. */
export const MOST_PARTS = MOST_HTML - 200;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for HTML, in quotes too. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, character => ESCAPES[character] as string);
}

/** Notebook pages align cells to the right unless told otherwise, others to the left. `align` stays where styles are taken away. */
const ALIGNED = { left: 'align="left" style="text-align:left"', right: 'align="right"' } as const;

/** A table of text; cells are HTML already. */
export function htmlTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  align: keyof typeof ALIGNED = 'left'
): string {
  const head = headings.map(heading => `<th ${ALIGNED[align]}>${escape(heading)}</th>`).join('');
  const body = rows
    .map(row => `<tr>${row.map(cell => `<td ${ALIGNED[align]}>${cell}</td>`).join('')}</tr>`)
    .join('');
  return `<table>${head === '' ? '' : `<thead><tr>${head}</tr></thead>`}<tbody>${body}</tbody></table>`;
}

export const code = (text: string): string => `<code>${escape(text)}</code>`;
/** A sentence in which code stands between backticks. */
export const htmlSentence = (text: string): string => escape(text).replace(/`([^`]*)`/g, '<code>$1</code>');

export const bold = (text: string): string => `<b>${escape(text)}</b>`;

/** A fold, open at first unless `closed`. */
export function htmlDetails(summary: string, content: string, closed = false): string {
  return `<details${closed ? '' : ' open'}><summary>${bold(summary)}</summary>${content}</details>`;
}

/** Lines as they are, which scroll where they are wider than the page. */
export function htmlPreformatted(text: string): string {
  return `<pre style="white-space:pre;overflow-x:auto">${escape(text)}</pre>`;
}

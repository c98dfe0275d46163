/**
 * HTML that notebook sanitizers let through, and that reads well where they take its styles away: tables, lists, details, no script, no
 * style element, no svg, no class. And the text beside it.
 */

/** Most bytes of UTF-8 in the HTML of a picture: a notebook of many pictures must not grow by megabytes. */
const MOST_HTML = 10_000;
/** Room for what stands around parts that are added one by one. */
export const MOST_PARTS = MOST_HTML - 200;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for HTML, in quotes too. */
export function escape(text: string): string {
  return text.replace(/[&<>"]/g, character => ESCAPES[character] as string);
}

/** Notebook pages align cells to the right unless told otherwise, others to the left. `align` stays where styles are taken away. */
const LEFT = 'align="left" style="text-align:left"';
const RIGHT = 'align="right" style="text-align:right"';

/** A table whose cells are HTML already. Columns from the number `right` on are aligned to the right. */
export function htmlTable(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  right = Infinity
): string {
  const rowOf = (cells: readonly string[], tag: string): string =>
    `<tr>${cells.map((cell, column) => `<${tag} ${column < right ? LEFT : RIGHT}>${cell}</${tag}>`).join('')}</tr>`;
  const head = headings.length === 0 ? '' : `<thead>${rowOf(headings.map(escape), 'th')}</thead>`;
  const body = rows.map(row => rowOf(row, 'td')).join('');
  return `<table>${head}<tbody>${body}</tbody></table>`;
}

/** A table as lines of text. Columns from the number `right` on are aligned to the right. */
export function textTable(rows: readonly (readonly string[])[], right = Infinity): string[] {
  const widthOf = (column: number): number => Math.max(...rows.map(row => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map(row =>
    row
      .map((cell, column) => cell[column < right ? 'padEnd' : 'padStart'](widths[column] as number))
      .join('  ')
      .trimEnd()
  );
}

/** The HTML that `render` gives for a share of what there is to show, halved until it has at most {@link MOST_HTML} bytes. */
export function htmlThatFits(render: (share: number) => string): string {
  for (let share = 1; ; share /= 2) {
    const html = render(share);
    if (Buffer.byteLength(html) < MOST_HTML || share < 0.02) return html;
  }
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

/** HTML that passes notebook sanitizers, and is readable without its styles: no script, style element, svg or class. And text tables. */

/** Maximum bytes of UTF-8 in a picture's HTML: a notebook with many pictures must not grow by megabytes. */
const MOST_HTML = 10_000;
/** Maximum for parts that are added one by one, without the enclosing markup. */
export const MOST_PARTS = MOST_HTML - 200;

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for HTML, including attribute values. */
export const escape = (text: string): string => text.replace(/[&<>"]/g, character => ESCAPES[character]!);

/** Notebook pages right-align cells by default, others left-align them. `align` remains if styles are removed. */
const LEFT = 'align="left" style="text-align:left"';
const RIGHT = 'align="right" style="text-align:right"';

/** Renders a table whose cells are HTML. Columns from number `right` on are right-aligned. */
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

/** Renders a table as lines of text. Columns from number `right` on are right-aligned. */
export function textTable(rows: readonly (readonly string[])[], right = Infinity): string[] {
  const widthOf = (column: number): number => Math.max(...rows.map(row => row[column]?.length ?? 0));
  const widths = (rows[0] ?? []).map((_, column) => widthOf(column));
  return rows.map(row =>
    row
      .map((cell, column) => cell[column < right ? 'padEnd' : 'padStart'](widths[column]!))
      .join('  ')
      .trimEnd()
  );
}

/** Calls `render` with a share of the content, halved until the HTML has at most {@link MOST_HTML} bytes. */
export function htmlThatFits(render: (share: number) => string): string {
  for (let share = 1; ; share /= 2) {
    const html = render(share);
    if (Buffer.byteLength(html) < MOST_HTML || share < 0.02) return html;
  }
}

export const code = (text: string): string => `<code>${escape(text)}</code>`;
/** Renders a sentence in which backticks enclose code. */
export const htmlSentence = (text: string): string => escape(text).replace(/`([^`]*)`/g, '<code>$1</code>');

export const bold = (text: string): string => `<b>${escape(text)}</b>`;

/** Renders a fold, open unless `closed`. */
export function htmlDetails(summary: string, content: string, closed = false): string {
  return `<details${closed ? '' : ' open'}><summary>${bold(summary)}</summary>${content}</details>`;
}

/** Renders preformatted lines, which scroll if they are wider than the page. */
export function htmlPreformatted(text: string): string {
  return `<pre style="white-space:pre;overflow-x:auto">${escape(text)}</pre>`;
}

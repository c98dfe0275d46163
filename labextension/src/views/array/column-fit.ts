/** Computes how many columns of values fit: from the widest column so far, again whenever the available width changes. */

/** Initial widths in pixels of a letter, of a cell's padding, and of the index column, until cells are measured. */
const LETTER = 7.9;
const PADDING = 21;
const LEAD = 80;
/** Width assumed before layout. */
const USUAL_ROOM = 860;
const MOST_COLUMNS = 64;

/** Maximum letters of a value, by dtype; other dtypes, structured and text, use the maximum. */
const LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^(u?int[48]|bool)$/, 5],
  [/^u?int16$/, 7],
  [/^complex/, 20],
  [/./, 11]
];

/** Creates the fit. `body` contains the cells, each row led by a heading; `known` returns the dtype and any values known before the first page. */
export function createColumnFit(
  signal: AbortSignal,
  root: HTMLElement,
  body: HTMLTableSectionElement,
  known: () => readonly [dtype: string, values: readonly string[]]
) {
  /** Widths in pixels. Columns never shrink: otherwise pages of different lengths would start elsewhere on the way back. */
  let widest = 0;
  let lead = 0;
  let asked = 0;

  const guess = (): number => {
    const [dtype, values] = known();
    const letters =
      values.length > 0
        ? values.map(({ length }) => length)
        : LENGTHS.find(([name]) => name.test(dtype))?.slice(1);
    return Math.max(...((letters ?? []) as number[]), 2) * LETTER + PADDING;
  };
  const fitting = (): number => {
    const room = (root.clientWidth || USUAL_ROOM) - (lead || LEAD);
    return Math.max(1, Math.min(MOST_COLUMNS, Math.floor(room / (widest || guess()))));
  };
  const check = (): void => {
    // Before the first page, and while the tab is hidden, there is no request to correct.
    if (asked > 0 && root.clientWidth > 0 && fitting() !== asked) fit.changed();
  };
  const sizes = new ResizeObserver(check);
  sizes.observe(root);
  signal.addEventListener('abort', () => sizes.disconnect());

  const fit = {
    /** Called when a different number fits than was last requested. */
    changed: () => undefined,
    columns: (): number => (asked = fitting()),
    measure(): void {
      const [heading, ...cells] = body.rows[0]?.cells ?? [];
      widest = Math.max(widest, ...cells.map(cell => cell.offsetWidth));
      lead = Math.max(lead, heading?.offsetWidth ?? 0);
      check();
    }
  };
  return fit;
}

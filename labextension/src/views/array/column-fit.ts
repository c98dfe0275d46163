/** Computes how many columns of values fit: by the widest column so far, again whenever the available width changes. */

/** Pixels of a letter and of a cell's padding, until cells have been measured; and of the column of indices. */
const LETTER = 7.9;
const PADDING = 21;
const LEAD = 80;
/** Where nothing is laid out yet. */
const USUAL_ROOM = 860;
const MOST_COLUMNS = 64;

/** Letters of a value, by dtype; of the rest, records and text, the most. */
const LENGTHS: readonly (readonly [RegExp, number])[] = [
  [/^(u?int[48]|bool)$/, 5],
  [/^u?int16$/, 7],
  [/^complex/, 20],
  [/./, 11]
];

/** `body` has the cells, a heading before them in each row; `known` tells the dtype, and values from before the first page. */
export function createColumnFit(
  root: HTMLElement,
  body: HTMLTableSectionElement,
  known: () => readonly [dtype: string, values: readonly string[]]
) {
  /** Pixels. Columns never get narrower: pages of different lengths would begin elsewhere on the way back. */
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

  const fit = {
    /** Called when another number fits than was asked for last. */
    changed: () => undefined,
    /** Of the next page. */
    columns: (): number => (asked = fitting()),
    /** Looks at the page that is shown. */
    measure(): void {
      const [heading, ...cells] = body.rows[0]?.cells ?? [];
      widest = Math.max(widest, ...cells.map(cell => cell.offsetWidth));
      lead = Math.max(lead, heading?.offsetWidth ?? 0);
      check();
    },
    dispose: (): void => sizes.disconnect()
  };
  return fit;
}

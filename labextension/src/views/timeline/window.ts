/** The part of the time axis that is shown. */

/** Microseconds: closer than this there is nothing to see. */
const SHORTEST = 0.05;
/** What is shown beyond the ends, as a part of the whole. */
const MARGIN = 0.02;

export type TimeWindow = ReturnType<typeof createTimeWindow>;

export function createTimeWindow() {
  let [least, most] = [0, 1];
  const place = (start: number, span: number): void => {
    const margin = (most - least) * MARGIN;
    const width = Math.min(Math.max(span, SHORTEST), most - least + 2 * margin);
    shown.from = Math.max(least - margin, Math.min(start, most + margin - width));
    shown.to = shown.from + width;
    shown.fits = span === Infinity;
  };
  const shown = {
    from: 0,
    to: 1,
    /** Whether everything is shown, and goes on being shown as it grows. */
    fits: true,
    /** All that can be shown: what there is, and the margins. */
    get whole(): readonly [from: number, to: number] {
      const margin = (most - least) * MARGIN;
      return [least - margin, most + margin] as const;
    },
    /** Shows a range, or as much of it as there is. */
    show: (from: number, to: number): void => place(from, to - from),
    /** What there is. */
    setBounds(start: number, end: number): void {
      least = start;
      most = Math.max(end, start + SHORTEST);
      if (shown.fits) place(start, Infinity);
    },
    /** By a part of what is shown; to an end by what is infinite. */
    pan: (part: number): void => place(shown.from + part * (shown.to - shown.from), shown.to - shown.from),
    /** Below 1 comes closer, infinite shows all; the time `at` stays where it is. */
    zoom(factor: number, at?: number): void {
      const { from, to } = shown;
      const fixed = at ?? (from + to) / 2;
      place(factor === Infinity ? least : fixed - (fixed - from) * factor, (to - from) * factor);
    },
    /** Moves until a range is seen. */
    reveal(start: number, end: number): void {
      const { from, to } = shown;
      if (start < from || end > to)
        place((start + end - to + from) / 2, Math.max(to - from, 1.2 * (end - start)));
    }
  };
  return shown;
}

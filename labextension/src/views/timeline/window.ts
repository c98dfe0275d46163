/** The visible part of the time axis. */

/** Shortest visible span, in microseconds. */
const SHORTEST = 0.05;
/** Margin beyond both ends, as a fraction of the whole. */
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
    /** Whether everything is shown, also as the trace grows. */
    fits: true,
    /** The largest possible range: the trace and its margins. */
    get whole(): readonly [from: number, to: number] {
      const margin = (most - least) * MARGIN;
      return [least - margin, most + margin] as const;
    },
    /** Shows a range, clipped to the trace. */
    show: (from: number, to: number): void => place(from, to - from),
    setBounds(start: number, end: number): void {
      least = start;
      most = Math.max(end, start + SHORTEST);
      if (shown.fits) place(start, Infinity);
    },
    /** Pans by a fraction of the visible span; an infinite one goes to the end. */
    pan: (part: number): void => place(shown.from + part * (shown.to - shown.from), shown.to - shown.from),
    /** Zooms: a factor below 1 zooms in, infinity shows all; the time `at` keeps its position. */
    zoom(factor: number, at?: number): void {
      const { from, to } = shown;
      const fixed = at ?? (from + to) / 2;
      place(factor === Infinity ? least : fixed - (fixed - from) * factor, (to - from) * factor);
    },
    reveal(start: number, end: number): void {
      const { from, to } = shown;
      if (start < from || end > to)
        place((start + end - to + from) / 2, Math.max(to - from, 1.2 * (end - start)));
    }
  };
  return shown;
}

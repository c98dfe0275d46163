/** The part of the time axis that is shown. */

/** Microseconds: closer than this there is nothing to see. */
const SHORTEST = 0.05;
/** What is shown beyond the ends, as a part of the whole. */
const MARGIN = 0.02;

export interface TimeWindow {
  from: number;
  to: number;
  /** Whether everything is shown, and goes on being shown as it grows. */
  fits: boolean;
  /** All that can be shown: what there is, and the margins. */
  readonly whole: readonly [from: number, to: number];
  /** What there is. */
  setBounds(from: number, to: number): void;
  /** Shows a range, or as much of it as there is. */
  show(from: number, to: number): void;
  /** By a part of what is shown; to an end by what is infinite. */
  pan(part: number): void;
  /** Below 1 comes closer, infinite shows all; the time `at` stays where it is. */
  zoom(factor: number, at?: number): void;
  /** Moves until a range is seen. */
  reveal(from: number, to: number): void;
}

export function createTimeWindow(): TimeWindow {
  let [least, most] = [0, 1];
  const place = (start: number, span: number): void => {
    const margin = (most - least) * MARGIN;
    const width = Math.min(Math.max(span, SHORTEST), most - least + 2 * margin);
    shown.from = Math.max(least - margin, Math.min(start, most + margin - width));
    shown.to = shown.from + width;
    shown.fits = span === Infinity;
  };
  const shown: TimeWindow = {
    from: 0,
    to: 1,
    fits: true,
    get whole() {
      const margin = (most - least) * MARGIN;
      return [least - margin, most + margin] as const;
    },
    show: (from, to) => place(from, to - from),
    setBounds(start, end) {
      least = start;
      most = Math.max(end, start + SHORTEST);
      if (shown.fits) place(start, Infinity);
    },
    pan: part => place(shown.from + part * (shown.to - shown.from), shown.to - shown.from),
    zoom(factor, at = (shown.from + shown.to) / 2) {
      place(factor === Infinity ? least : at - (at - shown.from) * factor, (shown.to - shown.from) * factor);
    },
    reveal(start, end) {
      const { from, to } = shown;
      if (start < from || end > to)
        place((start + end - to + from) / 2, Math.max(to - from, 1.2 * (end - start)));
    }
  };
  return shown;
}

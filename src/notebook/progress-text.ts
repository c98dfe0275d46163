/** Formats the state of a progress bar as text. */

export interface ProgressState {
  readonly count: number;
  /** Undefined if unknown. */
  readonly total: number | undefined;
  readonly description: string;
  /** In seconds. */
  readonly elapsed: number;
  readonly ending: 'running' | 'done' | 'stopped';
}

/** Returns `45 % · 45/100 · 3.7/s · 15 s left`. */
export function progressNumbers({ count, total, elapsed, ending }: ProgressState): string {
  const rate = elapsed > 0 ? count / elapsed : 0;
  const parts: string[] = [];
  if (total !== undefined) parts.push(`${percentage(count, total)} %`);
  parts.push(total === undefined ? grouped(count) : `${grouped(count)}/${grouped(total)}`);
  if (rate > 0) parts.push(`${rate >= 100 ? grouped(Math.round(rate)) : rate.toPrecision(2)}/s`);
  if (ending !== 'running') parts.push(`${duration(elapsed)}${ending === 'stopped' ? ', stopped' : ''}`);
  else if (total !== undefined && rate > 0 && count < total)
    parts.push(`${duration((total - count) / rate)} left`);
  return parts.join(' · ');
}

export function progressBarText(state: ProgressState, width: number): string {
  const { count, total, description } = state;
  const title = description === '' ? '' : `${description} `;
  const bar = total === undefined ? '' : `${blocks(total === 0 ? 1 : Math.min(1, count / total), width)} `;
  return `${title}${bar}${progressNumbers(state)}`;
}

function blocks(share: number, width: number): string {
  const full = Math.round(share * width);
  return '█'.repeat(full) + '░'.repeat(width - full);
}

/** Rounds down, so that 100 appears only at the end. */
function percentage(count: number, total: number): number {
  return total === 0 ? 100 : Math.floor(Math.min(1, count / total) * 100);
}

function grouped(count: number): string {
  return count.toLocaleString('en');
}

function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const two = (value: number): string => String(value).padStart(2, '0');
  const minutes = `${two(Math.floor(whole / 60) % 60)}:${two(whole % 60)}`;
  return whole < 3_600 ? minutes : `${Math.floor(whole / 3_600)}:${minutes}`;
}

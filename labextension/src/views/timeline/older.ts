/** Summary of a row's evicted bars: its busy time, in equal parts of the time since the start. Its size is constant. */

const PARTS = 512;

export type Older = ReturnType<typeof createOlder>;

export function createOlder() {
  const busy: number[] = Array<number>(PARTS).fill(0);
  const first: number[] = Array<number>(PARTS).fill(Infinity);
  const partOf = (time: number): number => Math.max(0, Math.min(PARTS - 1, Math.floor(time / older.width)));
  const coarsen = (): void => {
    for (let part = 0; part < PARTS; part += 1) {
      const [one, two] = [2 * part, 2 * part + 1];
      busy[part] = (busy[one] ?? 0) + (busy[two] ?? 0);
      first[part] = Math.min(first[one] ?? Infinity, first[two] ?? Infinity);
    }
    older.width *= 2;
  };
  const older = {
    /** Width of a part in microseconds, doubled whenever more parts would be needed. */
    width: 1,
    /** The earliest start and the latest end of evicted bars; infinite if there are none. */
    from: Infinity,
    end: -Infinity,
    /** Microseconds of work in each part. */
    busy,
    /** The number of the first record that begins in each part; infinite if there is none. */
    first,
    add(number: number, start: number, end: number, isWork: boolean): void {
      older.from = Math.min(older.from, start);
      older.end = Math.max(older.end, start, end || start);
      while (older.end >= PARTS * older.width) coarsen();
      const begin = partOf(start);
      first[begin] = Math.min(first[begin]!, number);
      if (!isWork) return;
      for (let part = begin; part * older.width < end; part += 1)
        busy[part]! += Math.min(end, (part + 1) * older.width) - Math.max(start, part * older.width);
    },
    workedUntil(time: number): number {
      const last = partOf(time);
      const sum = busy.slice(0, last).reduce((all, each) => all + each, 0);
      const reached = time >= older.end ? 1 : Math.max(0, time / older.width - last);
      return sum + busy[last]! * reached;
    }
  };
  return older;
}

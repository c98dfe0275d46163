/** Sinks for output that does not go to the page: output marked with the id of a sink is passed to that sink. */

import type { CellOutput, OutputSink } from '../../widgets/model/host.ts';

const sinks = new Map<string, OutputSink>();

/** Separates the name of a sink from the id of the cell or sink in which it was created. */
const WITHIN = '\n';

export function addSink(id: string, sink: OutputSink): void {
  sinks.set(id, sink);
}

export function removeSink(id: string): void {
  sinks.delete(id);
}

/** Returns the id of a sink created in `cell`, which receives its output once the sink is removed. */
export function sinkWithin(cell: string, name: string): string {
  return `${cell}${WITHIN}${name}`;
}

/** Returns the nearest existing sink or cell for output marked with `cell`. */
export function presentOwner(cell: string): string {
  let owner = cell;
  for (let end = owner.lastIndexOf(WITHIN); end >= 0 && !sinks.has(owner); end = owner.lastIndexOf(WITHIN))
    owner = owner.slice(0, end);
  return owner;
}

export function cellAround(owner: string): string {
  const end = owner.indexOf(WITHIN);
  return end < 0 ? owner : owner.slice(0, end);
}

export function hasSink(cell: string): boolean {
  return sinks.size > 0 && sinks.has(cell);
}

/** Passes output to its sink; returns false if there is none, or if the sink leaves the output to the page. */
export function takenBySink(cell: string, { type, content }: CellOutput): boolean {
  return sinks.size > 0 && sinks.get(cell)?.({ type, content }) === true;
}

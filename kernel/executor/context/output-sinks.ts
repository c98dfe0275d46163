/** Output that is not for the page: what is marked with the id of a sink goes to it. */

import type { CellOutput, OutputSink } from '../../widgets/model/host.ts';

const sinks = new Map<string, OutputSink>();

/** Stands between the id of a sink and that of the cell or sink it was made in. */
const WITHIN = '\n';

export function addSink(id: string, sink: OutputSink): void {
  sinks.set(id, sink);
}

export function removeSink(id: string): void {
  sinks.delete(id);
}

/** The id of a sink that is made in `cell`, where its output goes once the sink is removed. */
export function sinkWithin(cell: string, name: string): string {
  return `${cell}${WITHIN}${name}`;
}

/** The nearest sink or cell that is there for what is marked with `cell`. */
export function presentOwner(cell: string): string {
  let owner = cell;
  for (let end = owner.lastIndexOf(WITHIN); end >= 0 && !sinks.has(owner); end = owner.lastIndexOf(WITHIN))
    owner = owner.slice(0, end);
  return owner;
}

/** The cell around the sinks. */
export function cellAround(owner: string): string {
  const end = owner.indexOf(WITHIN);
  return end < 0 ? owner : owner.slice(0, end);
}

export function hasSink(cell: string): boolean {
  return sinks.size > 0 && sinks.has(cell);
}

/** Gives the output to the sink it is marked for; false if there is none, or the sink leaves it to the page. */
export function takenBySink(cell: string, { type, content }: CellOutput): boolean {
  return sinks.size > 0 && sinks.get(cell)?.({ type, content }) === true;
}

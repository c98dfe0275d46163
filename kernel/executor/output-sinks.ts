/** Output that is not for the page: what is marked with the id of a sink goes to it. */

import type { FromExecutor } from '../protocol/executor-messages.ts';
import type { OutputSink } from '../widgets/host.ts';

const sinks = new Map<string, OutputSink>();

export function addSink(id: string, sink: OutputSink): void {
  sinks.set(id, sink);
}

export function removeSink(id: string): void {
  sinks.delete(id);
}

/** Gives the message to the sink it is marked for; false if it is not, or the sink leaves it to the page. */
export function takenBySink(message: FromExecutor): boolean {
  if (sinks.size === 0 || (message.kind !== 'stream' && message.kind !== 'publish')) return false;
  const sink = sinks.get(message.cell);
  if (sink === undefined) return false;
  return message.kind === 'stream'
    ? sink({ type: 'stream', content: { name: message.name, text: message.text } })
    : sink({ type: message.type, content: message.content });
}

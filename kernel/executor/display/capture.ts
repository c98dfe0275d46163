/** Passes the output of code to a sink instead of its cell. */

import type { OutputCapture, OutputSink } from '../../../src/notebook/host.ts';
import { isOutput } from '../../protocol/messages.ts';
import { currentCell, runRedirected } from '../context/cell-context.ts';
import { flushOutput } from '../front/output.ts';
import { addSink, removeSink, sinkWithin } from '../context/output-sinks.ts';

let captures = 0;

export function beginCapture(sink: OutputSink): OutputCapture {
  captures += 1;
  const id = sinkWithin(currentCell(), String(captures));
  addSink(id, ({ type, content }) => {
    if (type === 'stream') sink.stream(content['name'] as 'stdout' | 'stderr', content['text'] as string);
    else if (isOutput(type) && type !== 'error') sink.message(type, content);
    else return false;
    return true;
  });
  return {
    run: work => runRedirected(id, work),
    end() {
      flushOutput();
      removeSink(id);
    }
  };
}

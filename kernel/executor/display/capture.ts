/** Passes the output of code to a sink instead of its cell. */

import type { OutputCapture, OutputSink } from '../../../src/notebook/host.ts';
import { currentCell, runRedirected } from '../context/cell-context.ts';
import { flushOutput } from '../front/output.ts';
import { addSink, removeSink, sinkWithin } from '../context/output-sinks.ts';

/** Message types that are output of a cell; others always go to the page. */
const OUTPUTS: ReadonlySet<string> = new Set([
  'display_data',
  'update_display_data',
  'execute_result',
  'clear_output'
]);

let captures = 0;

export function beginCapture(sink: OutputSink): OutputCapture {
  captures += 1;
  const id = sinkWithin(currentCell(), String(captures));
  addSink(id, ({ type, content }) => {
    if (type === 'stream') sink.stream(content['name'] as 'stdout' | 'stderr', content['text'] as string);
    else if (OUTPUTS.has(type)) sink.message(type, content);
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

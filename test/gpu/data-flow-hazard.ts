/** Runs the flow with one wait removed, in a process with STRIDELAB_HAZARDS=1: prints the reports, with and without the wait. */

import { hazards } from 'stridelab';

import { Flow } from './data-flow.ts';
import { device, LARGE } from './device.ts';

using flow = new Flow(device);
const x = flow.copyIn(new Float32Array(LARGE).fill(1));
const source = x.copy({ stream: flow.copies });

/** Takes half a millisecond on an H200: the reader is submitted before the kernel completes. */
function produce(): void {
  for (let copy = 0; copy < 256; copy++) x.copyFrom(source, { stream: flow.copies });
}

flow.copies.synchronize();
produce();
flow.compute(x);
const ordered = hazards.read().events.length;
device.synchronize();
produce();
flow.compute(flow.withoutWait(x));
device.synchronize();
const reports = hazards.read().events.map(({ kind, text }) => ({ kind, text }));
console.log(JSON.stringify({ ordered, reports }));

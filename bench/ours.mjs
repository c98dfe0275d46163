/**
 * Stridelab's figures: `node bench/ours.mjs DEVICE GROUP PART` measures one part of a group and prints its figures as JSON. Each part has
 * its own process, as in programs: code that has run many kinds of calls is slower.
 */
import { devices } from 'stridelab';
import { BestFitPoolMemoryManager, usingMemoryManager } from 'stridelab/memory';
import { sizesOf } from './measures.mjs';
import { parts } from './ours/parts.mjs';
import { Timing } from './ours/timing.mjs';

const [, , label, group = '', part = ''] = process.argv;
const device = devices().find(candidate => candidate.label === label);
if (device === undefined) throw new Error(`no device ${label}`);
const measure = parts[group]?.[part];
if (measure === undefined) throw new Error(`no part ${part} of group ${group}`);
// The peers use pools too.
using _scope = usingMemoryManager(BestFitPoolMemoryManager);
const timing = new Timing(device);
await measure(timing, sizesOf(device.simulated));
const { figures, problems } = timing;
console.log(JSON.stringify({ figures, problems }));

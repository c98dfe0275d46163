/**
 * The program that tests one library: `examine.mjs MODULE host|cuda FILE DONE CRASHED [FOLDER]`. Writes its steps and results to
 * FILE, beginning after the first DONE crossings. CRASHED is a JSON object of the steps of the next crossing that ended an earlier process;
 * they are skipped, so that a crash loses only one step. MODULE is in FOLDER or in python/.
 */

import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { devices, python } from 'stridelab';
import { inward, outward } from './crossing.mjs';
import { protocols, reason } from './facts.mjs';

const [module = '', where = 'host', file = '', done = '0', crashed = '{}', folder = ''] =
  process.argv.slice(2);

/** @param {object} line */
const tell = line => appendFileSync(file, `${JSON.stringify(line)}\n`);

const label = where === 'cuda' ? 'cuda:0' : 'sim:0';
const device = devices().find(candidate => candidate.label === label);
if (device === undefined)
  throw new Error(`unknown device ${label}: expected one of ${devices().map(String).join(', ')}`);

for (const place of [join(import.meta.dirname, 'python'), folder]) python.import('sys').path.append(place);
const common = python.import('common');
const { library } = python.import(module);
const { version } = library;
tell({ version, python: python.start().version });

const crossings = protocols.flatMap(protocol =>
  [inward, outward].map(look => ({ protocol, look, direction: look === inward ? 'in' : 'out' }))
);
for (const [index, { protocol, look, direction }] of crossings.entries()) {
  if (index < Number(done)) continue;
  const subject = {
    library,
    common,
    device,
    crashed: index === Number(done) ? JSON.parse(crashed) : {},
    step: (/** @type {string} */ name) => tell({ step: name, protocol, direction })
  };
  subject.step('the library');
  try {
    tell({ crossing: look(subject, protocol) });
  } catch (error) {
    tell({ crossing: { protocol, direction, outcome: 'refused', why: reason(error) } });
  }
}
tell({ finished: true });

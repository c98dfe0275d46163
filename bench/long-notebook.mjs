/**
 * The cost of types in a long notebook: the check of one cell, completion, and memory, at the end of notebooks of 50 to
 * 400 cells of about 1 kB that build on each other. Prints a Markdown table.
 *
 *   node bench/long-notebook.mjs [cells]
 */

import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LanguageService } from '../kernel/front/typescript/language-service.ts';
import { SupervisedServer } from '../kernel/front/typescript/supervised-server.ts';
import { LiveMembers } from '../kernel/front/executor/live-members.ts';
import { TsConfigReader } from '../kernel/protocol/tsconfig.ts';

const CELLS = Number(process.argv[2] ?? 400);
const EVERY = 50;
const MODULES = [
  'fs',
  'path',
  'os',
  'url',
  'util',
  'events',
  'http',
  'stream',
  'zlib',
  'crypto',
  'vm',
  'assert',
  'timers'
];

function cell(n) {
  const earlier =
    n === 0
      ? ''
      : `const prev${n}: Item${n - 1} = { ...item${n - 1}, id: ${n} };
for (const [key, value] of Object.entries(prev${n})) if (typeof value === 'number') table${n - 1}.set(key, value);`;
  return `import * as m${n} from 'node:${MODULES[n % MODULES.length]}';
/** Item of cell ${n}. */
interface Item${n} { id: number; label: string; tags: string[]; nested: { a: number; b?: string } }
const item${n}: Item${n} = { id: ${n}, label: 'cell ${n}', tags: ['a', 'b'], nested: { a: 1 } };
class Box${n}<T extends object> {
  #items: T[] = [];
  constructor(readonly name: string) {}
  add(item: T): this { this.#items.push(item); return this; }
  map<U>(each: (item: T) => U): U[] { return this.#items.map(each); }
}
const box${n} = new Box${n}<Item${n}>('b').add(item${n});
const table${n} = new Map<string, number>();
function sum${n}(values: readonly number[], start = 0): number { return values.reduce((a, b) => a + b, start); }
let x = sum${n}([1, 2, ${n}]) + box${n}.map(item => item.nested.a).length;
enum Color${n} { Red, Green = 'g'.length, Blue = 7 }
const squares${n} = Array.from({ length: 5 }, (_, i) => ({ i, square: i * i, color: Color${n}.Red }));
squares${n}.filter(({ i }) => i > 2).map(({ square }) => square.toFixed(2));
${earlier}`;
}

const at = (sorted, part) => sorted[Math.floor((sorted.length - 1) * part)].toFixed(1);
function spread(times) {
  const sorted = [...times].sort((a, b) => a - b);
  return `${at(sorted, 0.5)} / ${at(sorted, 0.95)}`;
}

/** Returns the memory of the server, this process's only child, in MiB. */
function serverMemory() {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ').filter(Boolean);
  const sizes = children.map(pid =>
    Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1])
  );
  return sizes.reduce((a, b) => a + b, 0) / 1024;
}

const folder = mkdtempSync(join(tmpdir(), 'long-notebook-'));
const server = new SupervisedServer(folder);
const config = new TsConfigReader(folder);
const service = new LanguageService(
  folder,
  server,
  () => config.read(),
  new LiveMembers(
    () => {},
    () => true
  )
);

async function timed(act) {
  const begin = performance.now();
  const answer = await act();
  return { answer, time: performance.now() - begin };
}

console.log(
  '| Cells | Check of a cell, median / p95, ms | Completion of a member, ms | Of a name, ms | Server, MiB |'
);
console.log('| --- | --- | --- | --- | --- |');
let checks = [];
const members = [];
const names = [];
for (let n = 0; n < CELLS; n += 1) {
  const module = service.begin(cell(n));
  const { answer, time } = await timed(() => service.check(module));
  if (answer.length > 0) throw new Error(`cell ${n}: ${answer[0].message}`);
  service.commit(module);
  checks.push(time);
  if (n % EVERY >= EVERY - 10) {
    const member = `item${n}.`;
    members.push((await timed(() => service.complete(member, member.length))).time);
    const name = `squa`;
    names.push((await timed(() => service.complete(name, name.length))).time);
  }
  if (n % EVERY === EVERY - 1) {
    const row = [
      n + 1,
      spread(checks),
      spread(members.splice(0)),
      spread(names.splice(0)),
      serverMemory().toFixed(0)
    ];
    console.log(`| ${row.join(' | ')} |`);
    checks = [];
  }
}

server.restart();
const last = service.begin(`prev${CELLS - 1}.id`);
const { time } = await timed(() => service.check(last));
console.log(
  `\nFirst check after the server was lost, with the ${CELLS} cells it needs: ${time.toFixed(0)} ms`
);
console.log(`Files left in the notebook's folder: ${readdirSync(folder).length}`);
service.stop();
rmSync(folder, { recursive: true });
process.exit();

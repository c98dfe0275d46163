import { jest } from '@jest/globals';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LanguageService } from '../../../kernel/front/typescript/language-service.ts';
import { SupervisedServer } from '../../../kernel/front/typescript/supervised-server.ts';
import { LiveMembers } from '../../../kernel/front/executor/live-members.ts';
import { TsConfigReader } from '../../../kernel/protocol/tsconfig.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

// The machine may be busy.
jest.setTimeout(60_000);

let folder: string;
let service: LanguageService;
beforeAll(() => {
  folder = temporaryFolder();
  const reader = new TsConfigReader(folder);
  const live = new LiveMembers(
    () => {},
    () => true
  );
  service = new LanguageService(folder, new SupervisedServer(folder), () => reader.read(), live);
});
afterAll(() => service.stop());

/** The diagnostics of a cell that runs. */
async function found(code: string): Promise<string[]> {
  const module = service.begin(code);
  const diagnostics = await service.check(module, true);
  service.commit(module);
  return diagnostics.map(({ code, message }) => `${code} ${message}`);
}

const codes = async (code: string): Promise<string[]> =>
  (await found(code)).map(message => message.split(' ')[0]!);

async function completions(code: string): Promise<string[]> {
  const { matches } = (await service.complete(code, code.length)) as { matches: string[] };
  return matches;
}

// Each cell sees the names of the earlier ones, as in a notebook.
test.each([
  ['functions', 'function add(x, y) { return x + (y || 1) }\nadd(1)'],
  ['recursion', 'function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) }\nfib(10)'],
  ['members of functions', 'add.calls = {}; add.calls.first = 1'],
  ['members of functions, read', 'add.calls.first'],
  [
    'classes',
    `class Point {
       constructor(x, y) { this.x = x; this.y = y; this.tags = []; this.next = null }
       tag(t) { this.tags.push(t); this.next = t; return this }
     }
     const p = new Point(1, 2); p.tag("a").tag("b").tags.map(t => t.length); p.next.anything`
  ],
  ['members of instances', 'p.x + p.y; p.extra = 5; p.extra'],
  [
    'subclasses',
    'class Stack extends Array { constructor(...a) { super(...a); this.top = a[0] } } new Stack(1).top'
  ],
  [
    'functions as classes',
    'function Old(name) { this.name = name }\nOld.prototype.say = function () { return this.name }; new Old("x").say()'
  ],
  ['prototypes', 'String.prototype.shout = function () { return this.toUpperCase() + "!" }; "a".shout()'],
  ['empty objects', 'const o = {}; o.a = 1; o.b = "text"; o.a + o.b'],
  ['empty objects, later', 'o.c = [1]; o.c.length + o.a'],
  [
    'objects that are filled',
    'const state = { items: [], selected: null }; state.items.push(1); state.selected = 5; state.more = 2'
  ],
  [
    'objects that were filled',
    'state.items[0].name; state.items.map(x => x.name); state.selected.x; state.more + 1'
  ],
  ['trees', 'const tree = { value: 1, left: null }; tree.left = { value: 2, left: null }; tree.left.value'],
  ['counting', 'const counts = {}; for (const w of ["a", "b"]) counts[w] = (counts[w] || 0) + 1; counts.a'],
  ['entries', 'Object.entries(counts).sort((a, b) => b[1] - a[1]).map(([k, v]) => `${k}: ${v}`)'],
  [
    'grouping',
    'const rows = [{ id: 1, name: "a" }]; rows.reduce((all, r) => { (all[r.name] ||= []).push(r); return all }, {}).a'
  ],
  ['finding', 'rows.find(r => r.id === 1).name; new Map([[1, "a"]]).get(1).length; "a1".match(/\\d/)[0]'],
  [
    'empty arrays',
    'const list = []; list.push({ a: 1 }); list[0].a; const grid = []; grid[0] = []; grid[0][1] = 2'
  ],
  ['empty arrays, later', 'list.filter(e => e.a > 1).length; list.push(5); grid.length'],
  [
    'variables without a value',
    'let later; later = []; later.push(1); let either; if (later) either = 1; else either = "x"; either'
  ],
  [
    'variables that are null first',
    'let conn = null; function open() { conn = { query() { return 1 } } }\nopen(); conn.query()'
  ],
  ['variables of earlier cells', 'later.push("x"); conn = 5; later = null'],
  ['errors', 'try { add() } catch (e) { console.log(e.message, e.code) }'],
  [
    'answers of servers',
    'const load = async () => { const r = await fetch("http://127.0.0.1"); const d = await r.json(); const { items, ...rest } = d; return d.total + items.map(i => i.name) }'
  ],
  ['JSON', 'const json = JSON.parse("{}"); json.a[0].b; const copy = structuredClone(state); copy.items'],
  ['environment', 'parseInt(process.env.PORT); process.env.FOO.split(","); process.argv[9].length'],
  ['dates', 'const started = new Date(); (new Date() - started) / 1000'],
  ['mixed arrays', 'const pair = [1, "a"]; const [n1, s1] = pair; n1 + 1; s1.length'],
  [
    'settled promises',
    'const ends = await Promise.allSettled([Promise.resolve(1)]); ends[0].value; ends.map(e => e.reason)'
  ],
  [
    'options',
    'function draw({ width, height = 2, ...rest } = {}) { return [width, height, rest] }\ndraw(); draw({ width: 1, color: "red" })'
  ],
  [
    'closures',
    'const memo = fn => { const cache = {}; return n => cache[n] ?? (cache[n] = fn(n)) }; memo(fib)(3)'
  ],
  [
    'rest parameters',
    'const debounce = (fn, ms = 9) => { let t; return (...a) => { clearTimeout(t); t = setTimeout(() => fn(...a), ms) } }'
  ],
  ['generators', 'function* upTo(n) { let i = 0; while (i < n) yield i++ }\n[...upTo(3)]'],
  [
    'require',
    'const fs = require("fs"); const lines = () => fs.readFileSync("x.csv", "utf8").split("\\n").map(l => l.split(","))'
  ],
  ['emitters', 'const bus = new (require("events"))(); bus.on("x", v => console.log(v)); bus.emit("x", 1)'],
  ['globals', 'globalThis.counter = 1; counter + globalThis.counter'],
  ['globals, later', 'counter + 1'],
  ['var twice', 'var twice = 5; var twice = "a"; twice'],
  ['delete', 'const user = { name: "A" }; delete user.name; for (const key in user) console.log(user[key])'],
  ['proxies', 'new Proxy({}, { get(target, key) { return target[key] ?? 0 } }).anything'],
  [
    'informal documentation',
    '/** @param {Strnig} text the text\n * @returns {Promise} later */\nfunction doc(text) { return text }'
  ],
  [
    'elements of a page',
    'document.querySelector("h1").textContent = "x"; document.getElementById("a").value = 1; window.innerWidth'
  ],
  [
    'classes of the DOM',
    'const d = new DOMParser().parseFromString("<a/>", "text/xml"); d.documentElement instanceof HTMLElement'
  ],
  [
    'dialogs',
    'const answer = await prompt("Name?", "nobody"); answer.length; await alert("x"); (await confirm("x")) === true'
  ],
  [
    'elements',
    'const List = ({ of, label = "x" }) => <ul>{of.map(i => <li key={i}>{i} {label}</li>)}</ul>; <List of={[1]} />'
  ]
])('%s in plain JavaScript have no diagnostics', async (_what, code) => {
  expect(await found(code)).toEqual([]);
});

test('members that were assigned are completed', async () => {
  await found(
    'class Box { constructor(w) { this.width = w } }\nconst box = new Box(1); const bag = {}; bag.inside = 1'
  );
  expect(await completions('box.wi')).toEqual(['width']);
  expect(await completions('bag.')).toContain('inside');
});

test.each([
  ['[1].lenght; rows[0].nam', ['TS2551', 'TS2551']],
  ['let num = 1; num = "text"; open(1, 2, 3); new Point().tagg()', ['TS2322', 'TS2554', 'TS2551']],
  ['Math.max("1"); process.nothing', ['TS2345', 'TS2339']],
  ['const tax = 1; tax = 2; fs.readFileSync()', ['TS2588', 'TS2554']],
  ['fs.nothingOfThisName()', ['TS2339']]
])('faults in plain JavaScript are reported: %s', async (code, expected) => {
  expect(await codes(code)).toEqual(expected);
});

test('cells with types are checked as TypeScript, without implicit types', async () => {
  expect(
    await codes(
      'const typed = (a: number, b) => { try { return a + b } catch (e) { return e.message } }; class F { f: number }'
    )
  ).toEqual([]);
  expect(await codes('class G { a: number; constructor(b) { this.b = b } }')).toEqual(['TS2339']);
  expect(await codes('const first: number = [1].find(n => n > 1)')).toEqual(['TS2322']);
  expect(await codes('const maybe: { a?: string } = {}; maybe.a.length')).toEqual(['TS18048']);
});

test('JavaScript files of the notebook have inferred types', async () => {
  writeFileSync(join(folder, 'helper.js'), 'export const double = n => n * 2; export const label = "x";');
  expect(await codes("import { double, label } from './helper.js'; double(2); label.nothing")).toEqual([
    'TS2339'
  ]);
});

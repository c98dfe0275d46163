/**
 * A program as JavaScript for the debugger: a generator function that runs one thread, with the variables of the source. It yields where the
 * thread waits for others. Helpers are functions inside it. Each statement has a line of its own. Pure.
 */

import type { Expression, Place, Program, Statement, Variable } from '../program/program.ts';
import { visit } from '../program/visit.ts';
import { arrayNumber, expressionText, literal, OWN, textsOf, type Context } from './expressions.ts';
import { helperCall, namesOf, namesUsed, SCOPE_ONLY, usedIn, withScopes, type HelperCall } from './names.ts';

/**
 * Where the debugger stops in a line of the source: once at its start. In the rest of it, only a step stops that comes from a helper. While
 * the helper runs, the line is that of its call.
 */
type Part = 'start' | 'rest' | 'call';

/** Where a line of the code comes from. */
export interface DebugLine extends Place {
  readonly part: Part;
}

/** The code of a thread. Lines count from 0. */
export interface DebugForm {
  /** An expression: the generator function. Its parameters: the thread, who it is, who waits, and the arrays. */
  readonly code: string;
  /** The place in the source of each line of the code; null for lines that are not of the source. */
  readonly lines: readonly (DebugLine | null)[];
  /** The places of operations, by their numbers in the code. */
  readonly places: readonly Place[];
}

type Kind = Statement['kind'];
type Of<K extends Kind> = Extract<Statement, { kind: K }>;

class Emitter implements Context {
  readonly program: Program;
  readonly names: ReadonlyMap<Variable, string>;
  readonly code: string[] = [];
  readonly lines: (DebugLine | null)[] = [];
  readonly places: Place[] = [];
  readonly loops = new Set<number>();
  /** The blocks that are functions, by their ids; the kernel's is 0. */
  readonly functions = new Set([0]);
  /** The names under which a function has what it passes on: the thread, who waits, and the arrays. */
  passed: readonly string[];
  /** The source line of the latest statement: its further parts are no stops of their own. */
  #latest = '';
  /** The rounds of the loops around, as texts: with the number of the operation they say which threads meet. */
  #path: readonly string[] = [];

  constructor(program: Program, names: ReadonlyMap<Variable, string>, passed: readonly string[]) {
    this.program = program;
    this.names = names;
    this.passed = passed;
  }

  place({ place }: { readonly place: Place }): number {
    return this.places.push(place) - 1;
  }

  add(text: string, place: Place, part?: Part): void {
    const line = `${place.file}:${place.line}`;
    this.lines.push({ ...place, part: part ?? (line === this.#latest ? 'rest' : 'start') });
    this.#latest = line;
    this.code.push(text);
  }

  /** Makes the next statement a stop even if it is on the line of the latest. */
  anew(): void {
    this.#latest = '';
  }

  /** Adds code where the debugger does not stop. */
  frame(text: string): void {
    this.lines.push(null);
    this.code.push(text);
  }

  /** Returns the position of an operation that several threads execute together. */
  meeting(): string {
    return `[${[...this.#path, String(this.code.length)].join(', ')}]`;
  }

  within(round: string, work: () => void): void {
    const before = this.#path;
    this.#path = [...before, String(this.code.length), round];
    work();
    this.#path = before;
  }
}

const text = (emitter: Emitter, expression: Expression): string => expressionText(emitter, expression);

const declared = (emitter: Emitter, result: Variable | null): string =>
  result === null ? '' : `let ${emitter.names.get(result)!} = `;

function emitWait(emitter: Emitter, statement: Of<'warp'> | Of<'barrier'>): void {
  const { kind, name, result, place } = statement;
  const values = textsOf(emitter, statement.arguments);
  const request = [
    `kind: '${kind}'`,
    `name: '${name}'`,
    `place: ${emitter.place(statement)}`,
    `at: ${emitter.meeting()}`,
    `values: [${values.join(', ')}]`
  ];
  emitter.add(`${declared(emitter, result)}yield { ${request.join(', ')} };`, place);
}

function emitTest(emitter: Emitter, { before, condition, id, place }: Of<'loop'>): void {
  emitAll(emitter, before);
  if (condition !== null) emitter.add(`if (!${text(emitter, condition)}) break L${id};`, place);
}

function waits(statement: Statement): boolean {
  let found = false;
  visit(statement, ({ kind }) => (found ||= kind === 'warp' || kind === 'barrier'));
  return found;
}

type Emit = { readonly [K in Kind]: (emitter: Emitter, statement: Of<K>) => void };

const emit: Emit = {
  declare(emitter, { variable, value, place }) {
    const start = value === null ? literal(variable.type, 0) : text(emitter, value);
    const code = `let ${emitter.names.get(variable)!} = ${start};`;
    // Neither a parameter nor the result of a helper is a statement of the source.
    if (value === null || value.kind === 'parameter') emitter.frame(code);
    else emitter.add(code, place);
  },
  assign(emitter, { variable, value, place }) {
    emitter.add(`${emitter.names.get(variable)!} = ${text(emitter, value)};`, place);
  },
  store(emitter, statement) {
    const { array, index, value, place } = statement;
    const texts = [
      arrayNumber(emitter.program, array),
      emitter.place(statement),
      ...textsOf(emitter, [value, ...index])
    ];
    emitter.add(`${OWN}.store(${texts.join(', ')});`, place);
  },
  loadVector(emitter, statement) {
    const { array, index, results, place } = statement;
    const names = results.map(result => emitter.names.get(result)!).join(', ');
    const texts = [arrayNumber(emitter.program, array), emitter.place(statement), results.length];
    const given = [...texts, ...textsOf(emitter, index)].join(', ');
    emitter.add(`let [${names}] = ${OWN}.loadVector(${given});`, place);
  },
  storeVector(emitter, statement) {
    const { array, index, values, place } = statement;
    const given = `[${textsOf(emitter, values).join(', ')}]`;
    const texts = [arrayNumber(emitter.program, array), emitter.place(statement), given];
    emitter.add(`${OWN}.storeVector(${[...texts, ...textsOf(emitter, index)].join(', ')});`, place);
  },
  atomic(emitter, statement) {
    const { name, array, index, result, place } = statement;
    const number = arrayNumber(emitter.program, array);
    const values = textsOf(emitter, statement.arguments).join(', ');
    const texts = [number, emitter.place(statement), `'${name}'`, `[${values}]`, ...textsOf(emitter, index)];
    emitter.add(`${declared(emitter, result)}${OWN}.atomic(${texts.join(', ')});`, place);
  },
  warp: emitWait,
  barrier: emitWait,
  fence(emitter, { place }) {
    emitter.add('void 0;', place);
  },
  print(emitter, { parts, place }) {
    const texts = parts.map(part =>
      typeof part === 'string'
        ? JSON.stringify(part)
        : `${OWN}.of.shown('${part.type}', ${text(emitter, part)})`
    );
    emitter.add(`${OWN}.print(${texts.join(', ')});`, place);
  },
  assert(emitter, statement) {
    const { condition, message, place } = statement;
    const number = emitter.place(statement);
    emitter.add(`${OWN}.assert(${number}, ${text(emitter, condition)}, ${JSON.stringify(message)});`, place);
  },
  native(emitter, statement) {
    const { result, host, place } = statement;
    const value = host === null ? `${OWN}.unsupported(${emitter.place(statement)})` : text(emitter, host);
    if (host !== null || result !== null) emitter.add(`${declared(emitter, result)}${value};`, place);
  },
  if(emitter, { condition, then, otherwise, place }) {
    emitter.add(`if (${text(emitter, condition)}) {`, place);
    emitAll(emitter, then);
    emitter.frame('} else {');
    emitAll(emitter, otherwise);
    emitter.frame('}');
  },
  loop(emitter, loop) {
    const { id, body, update, testLast } = loop;
    const round = `${OWN}_round${id}`;
    const counts = waits(loop);
    emitter.loops.add(id);
    if (counts) emitter.frame(`let ${round} = 0;`);
    emitter.frame(`L${id}: for (;;) {`);
    emitter.within(round, () => {
      if (counts) emitter.frame(`${round}++;`);
      if (!testLast) emitTest(emitter, loop);
      emitter.anew();
      emitter.frame(`N${id}: {`);
      emitAll(emitter, body);
      emitter.frame('}');
      if (testLast) emitTest(emitter, loop);
      emitAll(emitter, update);
    });
    emitter.frame('}');
    emitter.anew();
  },
  block(emitter, block) {
    const { id, body } = block;
    const call = helperCall(block);
    if (call !== undefined) return emitHelper(emitter, block, call);
    // The kernel's body: its variables are the function's own.
    if (id === 0) return emitAll(emitter, body);
    emitter.frame(id === SCOPE_ONLY ? '{' : `B${id}: {`);
    emitAll(emitter, body);
    emitter.frame('}');
  },
  leave(emitter, { target, to, place }) {
    if (emitter.functions.has(target)) return emitter.add('return;', place);
    const label = emitter.loops.has(target) ? `${to === 'next' ? 'N' : 'L'}${target}` : `B${target}`;
    emitter.add(`break ${label};`, place);
  }
};

/** Calls the helper as a method, whose name hides no variable. One that waits runs in a loop, because the debugger loses its way in a `yield*`. */
function emitHelper(
  emitter: Emitter,
  { id, place }: Pick<Of<'block'>, 'id' | 'place'>,
  { name, given, body }: HelperCall
): void {
  const { passed } = emitter;
  emitter.functions.add(id);
  const own = new Set([...usedIn([...given, ...body])].map(variable => emitter.names.get(variable)));
  const inside = passed.filter(each => !own.has(each));
  const parameters = [...inside, ...given.map(({ variable }) => emitter.names.get(variable)!)];
  const values = [...inside, ...given.map(({ value }) => text(emitter, value!))];
  const key = JSON.stringify(name);
  const [code, step] = [`${OWN}_code${id}`, `${OWN}_step${id}`];
  const [start, generator] = body.some(waits) ? [`const ${code} = `, '*'] : ['', ''];
  emitter.add(`${start}({ ${generator}${key}(${parameters.join(', ')}) {`, place);
  emitter.passed = inside;
  emitAll(emitter, body);
  emitter.passed = passed;
  emitter.frame('}');
  emitter.add(`})[${key}](${values.join(', ')});`, place, 'call');
  const loop = `for (let ${step} = ${code}.next(); !${step}.done; ${step} = ${code}.next(yield ${step}.value));`;
  if (generator !== '') emitter.add(loop, place, 'call');
  emitter.add('void 0;', place, 'rest');
}

function emitAll(emitter: Emitter, statements: readonly Statement[]): void {
  for (const statement of statements)
    (emit[statement.kind] as (emitter: Emitter, statement: Statement) => void)(emitter, statement);
}

/** Returns a name that is not taken, and takes it. */
function free(name: string, taken: Set<string>): string {
  let found = name;
  for (let count = 2; taken.has(found); count++) found = `${name}_${count}`;
  taken.add(found);
  return found;
}

/** Declarations of shared and local memory are stops too. */
function emitMemories(emitter: Emitter): void {
  for (const { place } of emitter.program.memories) emitter.add('void 0;', place);
}

/** Writes a program as JavaScript. */
export function emitDebugForm(program: Program): DebugForm {
  const body = withScopes(program.body);
  const arrays = [...program.parameters, ...program.memories, ...program.tables].filter(
    each => !('kind' in each) || each.kind === 'array'
  );
  const taken = new Set([OWN]);
  const shown = arrays.map(({ name }) => free(name, taken));
  const names = namesOf(body, taken);
  for (const name of namesUsed(body)) taken.add(name);
  const parameters = [OWN, free('thread', taken), free('waiting', taken), ...shown];
  const emitter = new Emitter(program, names, parameters);
  emitter.frame(`(function* ${program.name}(${parameters.join(', ')}) {`);
  emitMemories(emitter);
  emitAll(emitter, body);
  emitter.frame('})');
  const { code, lines, places } = emitter;
  return { code: code.join('\n'), lines, places };
}

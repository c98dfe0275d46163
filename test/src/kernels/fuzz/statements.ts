/** Random kernels: variables, helpers, branches, loops, switch, and what threads of a block do together. */

import { BLOCK, THREADS } from './reference.ts';
import { choices, type Choices } from './random.ts';
import { Expressions, NUMBERS, type Sight, type Type } from './expressions.ts';
import { both, join, line, type Both, type Piece } from './pieces.ts';

/** Atomics by cell of `cells`: each cell has one, so that the order does not matter. */
const ATOMICS = [
  'atomicAdd',
  'atomicSub',
  'atomicMin',
  'atomicMax',
  'atomicAnd',
  'atomicOr',
  'atomicXor',
  'atomicAdd'
];

const START: Sight['variables'] = [
  ...NUMBERS.map(type => ({ name: `${type}A`, type, constant: false })),
  ...NUMBERS.map(type => ({ name: `${type}B`, type, constant: false })),
  { name: 'flag', type: 'bool', constant: false }
];

/** Makes the statements of a random kernel. */
export function randomKernel(seed: number): readonly Piece[] {
  return new Maker(choices(seed)).kernel();
}

class Maker {
  readonly #random: Choices;
  #names = 0;

  constructor(random: Choices) {
    this.#random = random;
  }

  kernel(): readonly Piece[] {
    const helpers: Sight['helpers'][number][] = [];
    const pieces: Piece[] = [];
    for (const { name, type } of START) {
      const value = new Expressions(this.#random, { variables: [], helpers: [] }).of(type, 1);
      const annotation = type === 'bool' ? ': boolean' : `: ${type}`;
      pieces.push(line(`let ${name}${annotation} = ${value.kernel};`, `let ${name} = ${value.script};`));
    }
    for (let count = this.#random.below(4); count > 0; count--) pieces.push(this.#helper(helpers));
    const sight = { variables: START, helpers };
    for (let count = 4 + this.#random.below(6); count > 0; count--)
      pieces.push(this.#random.chance(0.35) ? this.#together(sight) : this.#statement(sight, 3, []));
    for (const { name, type } of START)
      if (type !== 'bool')
        pieces.push(line(`out_${type}[${name.endsWith('A') ? 'g' : `g + ${THREADS}`}] = ${name};`));
    return pieces;
  }

  #name(prefix: string): string {
    return `${prefix}${this.#names++}`;
  }

  #helper(helpers: Sight['helpers'][number][]): Piece {
    const name = this.#name('h');
    const takes = Array.from({ length: this.#random.below(4) }, () => this.#random.pick(NUMBERS));
    const gives = this.#random.pick(NUMBERS);
    const parameters = takes.map((type, index) => ({ name: `${name}_${index}`, type, constant: false }));
    const sight = { variables: [...START, ...parameters], helpers: [...helpers] };
    const body: Piece[] = [];
    for (let count = this.#random.below(4); count > 0; count--)
      body.push(this.#statement(sight, 2, ['return'], gives));
    const kernel = parameters.map(each => `${each.name}: ${each.type}`).join(', ');
    const script = parameters.map(each => each.name).join(', ');
    const result = new Expressions(this.#random, sight).of(gives, 2);
    const annotation = this.#random.chance(0.5) ? `: ${gives}` : '';
    helpers.push({ name, takes, gives });
    return {
      parts: [
        both(`const ${name} = (${kernel})${annotation} => {`, `const ${name} = (${script}) => {`),
        body,
        join`  return ${result};`,
        both('};')
      ]
    };
  }

  /** A statement that threads run by themselves. `jumps` are the jumps that may be used inside; `gives` is a helper's type. */
  #statement(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece {
    const kind = this.#random.below(depth > 0 ? 11 : 4);
    if (kind < 4) return this.#assignment(sight);
    if (kind < 6) return this.#branch(sight, depth - 1, jumps, gives);
    if (kind < 8) return this.#loop(sight, depth - 1, jumps, gives);
    if (kind === 8) return this.#switch(sight, depth - 1, jumps, gives);
    if (kind === 9) return this.#vector(sight, depth - 1, jumps, gives);
    return this.#scope(sight, depth - 1, jumps, gives);
  }

  /** Several elements, which are read at once. */
  #vector(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece {
    const random = this.#random;
    const [type, array] = random.pick([
      ['i32', 'xi'],
      ['f32', 'xf']
    ] as const);
    const length = random.pick([2, 4]);
    const index = join`(${new Expressions(random, sight).index(THREADS / length, 1)} * ${length})`;
    const at = this.#name('v');
    const constant = random.chance(0.5);
    const variables = Array.from({ length }, () => ({ name: this.#name('v'), type, constant }));
    const names = variables.map(({ name }) => name).join(', ');
    const elements = variables.map((_, offset) => `${array}[${at} + ${offset}]`).join(', ');
    const keyword = constant ? 'const' : 'let';
    return {
      parts: [
        both(`{ const ${at}: i32 = ${index.kernel};`, `{ const ${at} = ${index.script};`),
        both(
          `${keyword} [${names}] = cuda.loadVector(${array}, ${at}, ${length});`,
          `${keyword} [${names}] = [${elements}];`
        ),
        this.#list({ ...sight, variables: [...sight.variables, ...variables] }, depth, jumps, gives),
        both('}')
      ]
    };
  }

  #list(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece[] {
    const pieces = Array.from({ length: 1 + this.#random.below(3) }, () =>
      this.#statement(sight, depth, jumps, gives)
    );
    const jump = jumps.length > 0 && this.#random.chance(0.35) ? this.#random.pick(jumps) : undefined;
    if (jump === undefined) return pieces;
    const text =
      jump === 'return' ? join`return ${new Expressions(this.#random, sight).of(gives!, 1)}` : both(jump);
    const condition = new Expressions(this.#random, sight).of('bool', 1);
    return [...pieces, { parts: [join`if (${condition}) ${text};`] }];
  }

  #assignment(sight: Sight): Piece {
    const random = this.#random;
    const make = new Expressions(random, sight);
    if (random.chance(0.12)) {
      const cell = random.below(ATOMICS.length);
      const value = make.of('i32', 2);
      const name = ATOMICS[cell]!;
      return line(
        `cuda.${name}(cells, ${cell}, ${value.kernel});`,
        `${name}(cells, ${cell}, ${value.script});`
      );
    }
    if (random.chance(0.2)) return { parts: [join`own[${make.index(8, 1)}] = ${make.of('i32', 2)};`] };
    const { name, type } = random.pick(sight.variables.filter(each => !each.constant));
    return { parts: [join`${name} = ${make.of(type, 3)};`] };
  }

  #branch(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece {
    const condition = new Expressions(this.#random, sight).of('bool', 2);
    const parts: (Both | readonly Piece[])[] = [
      join`if (${condition}) {`,
      this.#list(sight, depth, jumps, gives)
    ];
    if (this.#random.chance(0.5)) parts.push(both('} else {'), this.#list(sight, depth, jumps, gives));
    return { parts: [...parts, both('}')] };
  }

  #loop(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece {
    const [label, counter] = [this.#name('l'), this.#name('c')];
    const inside = {
      ...sight,
      variables: [...sight.variables, { name: counter, type: 'i32' as const, constant: true }]
    };
    const own = [
      ...jumps.filter(jump => !['break', 'continue'].includes(jump)),
      'break',
      'continue',
      `break ${label}`,
      `continue ${label}`
    ];
    const body = this.#list(inside, depth, own, gives);
    const rounds = 1 + this.#random.below(4);
    const condition = new Expressions(this.#random, inside).of('bool', 1);
    switch (this.#random.below(3)) {
      case 0:
        return {
          parts: [
            both(`${label}: for (let ${counter} = 0; ${counter} < ${rounds}; ${counter}++) {`),
            body,
            both('}')
          ]
        };
      case 1:
        return {
          parts: [
            join`${label}: for (let ${counter} = 0; ${counter} < ${rounds} && ${condition}; ${counter} += 1) {`,
            body,
            both('}')
          ]
        };
      default:
        return {
          parts: [
            both(`let ${counter} = 0;`),
            both(`${label}: do {`),
            body,
            join`} while (++${counter} < ${rounds} && ${condition});`
          ]
        };
    }
  }

  #switch(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece {
    const inside = [...jumps.filter(jump => jump !== 'break'), 'break'];
    const parts: (Both | readonly Piece[])[] = [
      join`switch (${new Expressions(this.#random, sight).of('i32', 1)} & 3) {`
    ];
    for (const label of ['case 0:', 'case 2:', 'case 1:', 'default:']) {
      if (this.#random.chance(0.2)) continue;
      parts.push(
        both(`${label} {`),
        this.#list(sight, depth, inside, gives),
        both(this.#random.chance(0.6) ? 'break; }' : '}')
      );
    }
    return { parts: [...parts, both('}')] };
  }

  #scope(sight: Sight, depth: number, jumps: readonly string[], gives?: Type): Piece {
    const [name, type, constant] = [this.#name('v'), this.#random.pick(NUMBERS), this.#random.chance(0.5)];
    const value = new Expressions(this.#random, sight).of(type, 2);
    const annotation = this.#random.chance(0.5) || value.kernel.startsWith('(') ? `: ${type}` : '';
    const keyword = constant ? 'const' : 'let';
    const inside = { ...sight, variables: [...sight.variables, { name, type, constant }] };
    const declared = both(
      `${keyword} ${name}${annotation} = ${value.kernel};`,
      `${keyword} ${name} = ${value.script};`
    );
    return { parts: [both('{'), declared, this.#list(inside, depth, jumps, gives), both('}')] };
  }

  /** A statement that all threads of a block or warp run together. A script yields there. */
  #together(sight: Sight): Piece {
    const random = this.#random;
    const make = new Expressions(random, sight);
    const numbers = sight.variables.filter(each => each.type !== 'bool');
    const { name, type } = random.pick(numbers);
    const value = make.of(type, 2);
    const bool = make.of('bool', 2);
    const shuffle = (kind: string, lane: Both, width: number): Piece =>
      line(
        `${name} = cuda.${kind}(${value.kernel}, ${lane.kernel}${width === 32 ? '' : `, ${width}`});`,
        `${name} = yield ['${kind}', ${value.script}, ${lane.script}, ${width}];`
      );
    switch (random.below(8)) {
      case 0:
        return shuffle(
          random.pick(['shflUp', 'shflDown']),
          both(String(random.below(32))),
          random.pick([32, 16, 8])
        );
      case 1:
        return shuffle('shflXor', both(String(random.below(32))), 32);
      case 2:
        return shuffle('shfl', join`(${make.of('i32', 1)} & 31)`, random.pick([32, 8]));
      case 3:
        return line(`u32A = cuda.ballot(${bool.kernel});`, `u32A = yield ['ballot', ${bool.script}];`);
      case 4: {
        const kind = random.pick(['any', 'all', 'syncThreadsAnd', 'syncThreadsOr']);
        return line(`flag = cuda.${kind}(${bool.kernel});`, `flag = yield ['${kind}', ${bool.script}];`);
      }
      case 5:
        return line(
          `i32B = cuda.syncThreadsCount(${bool.kernel});`,
          `i32B = yield ['syncThreadsCount', ${bool.script}];`
        );
      case 6: {
        const length = type === 'f64' ? 2 : random.pick([2, 4]);
        const values = Array.from({ length }, () => make.of(type, 1));
        const list = (form: 'kernel' | 'script'): string => values.map(each => each[form]).join(', ');
        const guard = `if (t < ${BLOCK / length})`;
        return {
          parts: [
            both(
              `${guard} cuda.storeVector(shared_${type}, ${length} * t, [${list('kernel')}]);`,
              `${guard} shared_${type}.set([${list('script')}], ${length} * t);`
            ),
            both('cuda.syncThreads();', "yield ['syncThreads'];"),
            join`${name} = shared_${type}[t];`,
            both('cuda.syncThreads();', "yield ['syncThreads'];")
          ]
        };
      }
      default: {
        const from = join`((t + ${make.of('i32', 1)}) & 63)`;
        return {
          parts: [
            join`shared_${type}[t] = ${value};`,
            both('cuda.syncThreads();', "yield ['syncThreads'];"),
            join`${name} = shared_${type}[${from}];`,
            both('cuda.syncThreads();', "yield ['syncThreads'];")
          ]
        };
      }
    }
  }
}

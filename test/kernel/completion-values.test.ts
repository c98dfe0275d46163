/** Random statements give the values that V8 gives to them as scripts. */

import { runInThisContext } from 'node:vm';
import { compileCell } from '../../kernel/executor/transform/compile-cell.ts';
import { NotebookNames } from '../../kernel/executor/transform/names.ts';

const STATEMENTS = 1_000;
const DEPTH = 4;
/** Loops that call it more often are left out. */
const MOST_TURNS = 300;

interface Place {
  readonly inLoop: boolean;
  readonly inSwitch: boolean;
  readonly labels: readonly string[];
}

/** Generates statements; the same ones in each run. */
class Statements {
  #seed = 1;
  #names = 0;

  /** Returns a number below `limit`. */
  #below(limit: number): number {
    this.#seed = (this.#seed * 1_103_515_245 + 12_345) & 0x7fffffff;
    return (this.#seed >> 8) % limit;
  }

  #name(): string {
    this.#names += 1;
    return `n${this.#names}`;
  }

  next(depth = DEPTH, place: Place = { inLoop: false, inSwitch: false, labels: [] }): string {
    const condition = ['true', 'false', 'turn() > 1', 'turn() % 2'][this.#below(4)]!;
    const one = (inside: Partial<Place> = {}): string => this.next(depth - 1, { ...place, ...inside });
    const list = (inside: Partial<Place> = {}): string =>
      Array.from({ length: this.#below(4) }, () => one(inside)).join(' ');
    const label = this.#name();
    const labels = [...place.labels, label];
    switch (this.#below(depth === 0 ? 4 : 15)) {
      case 0:
      case 1:
        return `${this.#below(100)};`;
      case 2:
        if (place.inLoop) return this.#below(2) === 0 ? 'break;' : 'continue;';
        return place.inSwitch ? 'break;' : ';';
      case 3:
        return place.labels.length > 0 ? `break ${place.labels[0]!};` : '{ let hidden = 1; }';
      case 4:
        return `if (${condition}) ${one()}`;
      case 5:
        return `if (${condition}) { ${list()} } else ${one()}`;
      case 6:
        return `for (let i = 0; i < ${this.#below(3)}; i++) ${one({ inLoop: true })}`;
      case 7:
        return `{ ; ${list()} }`;
      case 8:
        return `try { ${list()} ${this.#below(2) === 0 ? 'throw 1;' : ''} } catch { ${list()} }`;
      case 9:
        return `try { ${list()} } finally { 1; }`;
      case 10: {
        const inside = { inSwitch: true };
        return `switch (${this.#below(3)}) { case 0: ${list(inside)} case 1: ${list(inside)} default: ${list(inside)} }`;
      }
      case 11:
        return `${label}: { ; ${list({ labels })} }`;
      case 12:
        return `${label}: for (const x of [1, 2]) ${one({ inLoop: true, labels })}`;
      case 13:
        return `do ${one({ inLoop: true })} while (turn() < 3);`;
      default:
        return `for (const key in { a: 1, b: 2 }) ${one({ inLoop: true })}`;
    }
  }
}

test('random statements', () => {
  let turns = 0;
  const host = globalThis as { turn?: () => number };
  host.turn = () => {
    turns += 1;
    if (turns > MOST_TURNS) throw new Error('too many turns');
    return turns % 4;
  };
  /** Returns the value, or what was thrown. */
  const outcome = (run: () => unknown): unknown => {
    turns = 0;
    try {
      return run();
    } catch (error) {
      return String(error);
    }
  };
  const names = new NotebookNames();
  const statements = new Statements();
  let compared = 0;
  for (let count = 0; count < STATEMENTS; count += 1) {
    const code = statements.next();
    // The first statement keeps a block from being an object literal.
    const expected = outcome(() => runInThisContext(`"use strict"; void 0; ${code}`));
    if (turns > MOST_TURNS) continue;
    const found = outcome(() => {
      let value: unknown;
      const run = runInThisContext(compileCell(code, names).script) as (bindings: object) => void;
      run({ result: (shown: unknown) => (value = shown) });
      return value;
    });
    compared += 1;
    expect({ code, value: found }).toEqual({ code, value: expected });
  }
  delete host.turn;
  expect(compared).toBeGreaterThan(STATEMENTS / 2);
});

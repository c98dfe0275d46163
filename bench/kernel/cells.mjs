/** The measured cells, in the language of each kernel. */

/**
 * @typedef {object} Cells
 * @property {string} steady a cell with the result 2
 * @property {(n: number) => string} fresh declares a variable that no earlier cell declared
 * @property {string} wrong has a type error, or in Python an undefined name
 * @property {string} setup
 * @property {[code: string, cursor: number]} complete
 * @property {[code: string, cursor: number]} completeFirst needs no earlier cell
 * @property {[code: string, cursor: number]} inspect
 * @property {(lines: number) => string} print
 * @property {string} loop
 * @property {string} wait
 * @property {string} survivor prints `survivor=42`
 * @property {string} [hot] 50 million additions on a top-level variable
 */

/** @type {Readonly<Record<'ts' | 'py', Cells>>} */
export const cells = {
  ts: {
    steady: '1+1',
    fresh: n => `let v${n} = ${n}; v${n} + 1`,
    wrong: 'let bad: number = "text";',
    setup: "let survivor = 42; let words = ['a', 'b'];",
    complete: ['words.for', 9],
    completeFirst: ['console.lo', 10],
    inspect: ['words.forEach', 8],
    print: lines => `for (let i = 0; i < ${lines}; i++) console.log('line ' + i);`,
    loop: 'while (true) {}',
    wait: 'await new Promise(r => setTimeout(r, 60000));',
    survivor: "console.log('survivor=' + survivor)",
    hot: 'let sum = 0; for (let i = 0; i < 5e7; i++) sum += i; sum'
  },
  py: {
    steady: '1+1',
    fresh: n => `v${n} = ${n}; v${n} + 1`,
    wrong: 'undefined_name + 1',
    setup: "survivor = 42; words = ['a', 'b']",
    complete: ['words.app', 9],
    completeFirst: ['print.__na', 10],
    inspect: ['words.append', 8],
    print: lines => `for i in range(${lines}): print('line', i)`,
    loop: 'while True: pass',
    wait: 'import asyncio; await asyncio.sleep(60)',
    survivor: "print('survivor=' + str(survivor))"
  }
};

/** Faults of kernels in a cell, as the language of kernels sees them: TypeScript's compiler cannot know them. */

import type { Function as FunctionNode } from 'acorn';
import { deviceFunctions } from '../../../src/kernels/language/device-functions.ts';
import { kernelFaults } from '../../../src/kernels/language/lower.ts';
import * as types from '../../../src/kernels/language/number-types.ts';
import { random } from '../../../src/kernels/language/random.ts';
import { specials } from '../../../src/kernels/language/specials.ts';
import { synchronization } from '../../../src/kernels/language/synchronization.ts';
import { vectors } from '../../../src/kernels/language/vectors.ts';
import { declaredTypes, typesOf, type DeclaredType } from '../../../src/kernels/source/declared-types.ts';
import type { FunctionSource } from '../../../src/kernels/source/function-source.ts';
import { kernelBodies } from '../../../src/kernels/source/kernel-functions.ts';
import { parseModule } from '../../../src/kernels/source/parse.ts';
import type { CellDiagnostic } from './diagnostics.ts';
import { namesOf } from './library-names.ts';

/** What kernels capture from Stridelab; other names are unknown here. */
const KNOWN = {
  cuda: { ...deviceFunctions, ...synchronization, ...vectors, ...random, ...specials },
  ...types
};

/** Returns the first fault of each kernel of a cell; none if the cell does not parse. `library` is as in `CellFacts`. */
export function kernelProblems(
  code: string,
  library: ReadonlyMap<string, string> = new Map()
): CellDiagnostic[] {
  let program: ReturnType<typeof parseModule>;
  try {
    program = parseModule(code, 'ts');
  } catch (error) {
    if (error instanceof SyntaxError) return []; // the cell's run reports it
    throw error;
  }
  const captured = knownUnder(library);
  const types = declaredTypes(program);
  const bodies = new Set(kernelBodies(program, code, namesOf('cuda', library)));
  return [...bodies].flatMap(node => problemsOf(code, node, types, captured));
}

/** Returns what is known, also under the names that cells gave it. */
function knownUnder(library: ReadonlyMap<string, string>): Readonly<Record<string, unknown>> {
  const own: Readonly<Record<string, unknown>> = { ...KNOWN, '*': KNOWN };
  const named = [...library].filter(([, exported]) => Object.hasOwn(own, exported));
  return { ...KNOWN, ...Object.fromEntries(named.map(([name, exported]) => [name, own[exported]])) };
}

function problemsOf(
  code: string,
  node: FunctionNode,
  types: readonly DeclaredType[],
  captured: FunctionSource['captured']
): CellDiagnostic[] {
  const { start, end } = node;
  const before = code.slice(0, start).split('\n');
  const source: FunctionSource = {
    text: code.slice(start, end),
    file: 'cell',
    line: before.length,
    column: before.at(-1)!.length,
    captured,
    types: Object.fromEntries(typesOf(types, node, code))
  };
  const [fault] = kernelFaults(source);
  if (fault === undefined) return [];
  const { line, column, length } = fault.place;
  return [
    {
      range: {
        start: { line: line - 1, character: column },
        end: { line: line - 1, character: column + length }
      },
      severity: 'error',
      code: 'kernel',
      message: fault.hint === '' ? fault.reason : `${fault.reason}\nhint: ${fault.hint}`,
      href: null
    }
  ];
}

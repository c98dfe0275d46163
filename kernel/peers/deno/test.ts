/** `Deno.test`: the tests of a cell run when its code waits or ends, and are reported below it. */

import { setImmediate } from 'node:timers/promises';
import { inspect, styleText } from 'node:util';
import { notebookHost } from '../../../src/notebook/host.ts';

/** What a test function gets. */
export interface TestContext {
  /** The name of the test. */
  readonly name: string;
  /** Runs a part of the test. Returns whether it passed. */
  step(name: string, run: TestFunction): Promise<boolean>;
}

type TestFunction = (context: TestContext) => unknown;

/** A test. */
export interface TestDefinition {
  readonly name: string;
  readonly fn: TestFunction;
  /** Whether to skip the test. */
  readonly ignore?: boolean;
  /** Whether to skip all tests without `only`. */
  readonly only?: boolean;
}

type TestOptions = Partial<Omit<TestDefinition, 'fn'>>;

let waiting: TestDefinition[] = [];

/** Defines a test: its name and function, its function alone, or an object with `name` and `fn`. */
export function test(name: string, run: TestFunction): void;
export function test(name: string, options: TestOptions, run: TestFunction): void;
export function test(run: TestFunction): void;
export function test(options: TestOptions, run: TestFunction): void;
export function test(definition: TestDefinition): void;
export function test(...given: readonly unknown[]): void {
  const parts = given.map(part => {
    if (typeof part === 'string') return { name: part };
    return typeof part === 'function' ? { fn: part as TestFunction } : (part as Partial<TestDefinition>);
  });
  const { name, fn, ...options } = Object.assign({}, ...parts) as Partial<TestDefinition>;
  const title = name ?? fn?.name ?? '';
  if (fn === undefined || title === '')
    throw new TypeError('Deno.test: expected a name and a function, or a function that has a name');
  waiting.push({ ...options, name: title, fn });
  if (waiting.length > 1) return;
  const work = runWaiting();
  notebookHost()?.holdCell?.(work);
}

async function runWaiting(): Promise<void> {
  // The rest of the cell defines its tests first.
  await setImmediate();
  const tests = waiting;
  waiting = [];
  const focused = tests.some(({ only }) => only === true);
  const counts = { passed: 0, failed: 0, ignored: 0 };
  const begin = performance.now();
  for (const each of focused ? tests.filter(({ only }) => only === true) : tests) {
    if (each.ignore === true) {
      counts.ignored += 1;
      print(`${each.name} ... ${colored('yellow', 'ignored')}`);
    } else counts[(await passes(each.name, each.fn, '')) ? 'passed' : 'failed'] += 1;
  }
  const { passed, failed, ignored } = counts;
  const rest = ignored === 0 ? '' : ` | ${ignored} ignored`;
  report(`\n`, failed === 0, ` | ${passed} passed | ${failed} failed${rest} ${timeSince(begin)}`);
}

async function passes(name: string, run: TestFunction, indent: string): Promise<boolean> {
  const begin = performance.now();
  let failedSteps = 0;
  const step = async (title: string, part: TestFunction): Promise<boolean> => {
    const passed = await passes(title, part, `${indent}  `);
    if (!passed) failedSteps += 1;
    return passed;
  };
  let problem: string | undefined;
  try {
    await run({ name, step });
    if (failedSteps > 0) problem = `${failedSteps} of its steps failed`;
  } catch (error) {
    problem =
      error instanceof Error ? (notebookHost()?.describeError?.(error) ?? error.stack) : inspect(error);
  }
  report(`${indent}${name} ... `, problem === undefined, ` ${timeSince(begin)}`);
  if (problem !== undefined) print(problem.replace(/^/gm, `${indent}  `));
  return problem === undefined;
}

function report(before: string, good: boolean, after: string): void {
  print(`${before}${good ? colored('green', 'ok') : colored('red', 'FAILED')}${after}`);
}

function colored(color: 'green' | 'red' | 'yellow', text: string): string {
  return process.stdout.hasColors() ? styleText(color, text, { validateStream: false }) : text;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function timeSince(begin: number): string {
  return `(${Math.round(performance.now() - begin)}ms)`;
}

/** Inspects the stack of the main thread when the interrupt thread interrupts it, and decides whether to terminate its code. */

// The global is loaded on first use, and the inspection must load nothing.
import { performance } from 'node:perf_hooks';
import { runInNewContext } from 'node:vm';
import { endCurrentInterval } from '../context/cell-context.ts';
import { criticalDepth } from '../context/critical-section.ts';
import { isInternal, isProducts, parseStack, type StackFrame } from '../context/stack-frames.ts';
import { LookOutcome, LookWord } from './look-words.ts';
import type { RunningCell } from './running-cell.ts';

/** Inspections after which code of Node or the kernel is terminated too: that could corrupt its data, but some calls never return. */
const MOST_LOOKS = 50;
/** Inspections that follow each other faster than this, in ms, count as one. */
const LOOK_MS = 1;
/** Functions that are terminated immediately: once `nextTick` returns, an endless chain of ticks has its next tick. */
const CUT_INSIDE = new Set(['#awaitStop', 'waitForAnswer', 'nextTick']);
/** Node's module loader. A module whose loading is terminated can never be imported again. */
const LOADERS = ['node:internal/modules/', 'node:internal/bootstrap/'];
/** The file of the memory pool, whose lists must stay consistent for later allocations. */
const POOL = '/src/parts/pool-';

interface InspectedFrame extends StackFrame {
  /** Whether the function is at its first line, where V8 checks for interrupts as it is called. */
  readonly begins: boolean;
}

/** Returns the inspection. `found` is called with the frames that are stopped, or none if the cell is waiting. */
export function makeLook(
  words: Int32Array,
  running: RunningCell,
  found: (frames: readonly StackFrame[]) => void
): () => boolean {
  const framesBelow = makeFrameReader();
  /** Time of the last inspection that counted. */
  let counted = 0;

  function look(): boolean {
    if (Atomics.load(words, LookWord.outcome) !== LookOutcome.asked) return false;
    const frames = framesBelow(look);
    const cell = words[LookWord.cell]!;
    const reported = words[LookWord.reported] !== 0;
    // The event loop has turned since the interrupt, or since its last stop.
    const turned = Atomics.load(words, LookWord.turned) !== 0;
    const over = running.number !== cell || (reported && turned);
    const inUserCode = !over && frames.some(({ file }) => !isProducts(file));
    // If only Node, the kernel or the library is on the stack, nothing is to be stopped, unless callbacks keep the
    // event loop from turning and the inspection hit between two of them.
    const goesOn = inUserCode
      ? !isEntry(frames) && (isWhole(frames) || mayReturn(frames[0]!))
      : !over && !turned;
    if (goesOn || criticalDepth[0] !== 0) {
      Atomics.store(words, LookWord.outcome, LookOutcome.goesOn);
      // The interrupt thread requests the next inspection at once: the code may return to the cell soon.
      Atomics.notify(words, LookWord.outcome);
      return false;
    }
    // The interval of the terminated function would call it again, and so restart what was stopped.
    if (inUserCode) endCurrentInterval();
    if (!reported) found(inUserCode ? frames : []);
    Atomics.store(words, LookWord.turned, 0);
    Atomics.store(words, LookWord.outcome, inUserCode ? LookOutcome.stopped : LookOutcome.over);
    return inUserCode;
  }

  /** Returns whether a call of Node or the kernel may continue until it returns. */
  function mayReturn({ file, functionName }: StackFrame): boolean {
    if (!isInternal(file) || CUT_INSIDE.has(functionName)) return false;
    const now = performance.now();
    if (now - counted >= LOOK_MS) {
      counted = now;
      words[LookWord.looks]! += 1;
    }
    return words[LookWord.looks]! <= MOST_LOOKS;
  }

  return look;
}

/** Returns whether the user's code has just called a function of Node or the kernel, which has done nothing yet. */
function isEntry([callee, caller]: readonly InspectedFrame[]): boolean {
  return callee!.begins && isInternal(callee!.file) && caller !== undefined && !isInternal(caller.file);
}

/** Returns whether the user's code called something that must complete, however long that takes. */
function isWhole(frames: readonly StackFrame[]): boolean {
  const called = frames.slice(
    0,
    frames.findIndex(({ file }) => !isProducts(file))
  );
  return called.some(({ file }) => LOADERS.some(folder => file.startsWith(folder)) || isPool(file));
}

function isPool(file: string): boolean {
  return file.includes(POOL) && isProducts(file);
}

/** Returns a reader of the frames below `callee`. Uses the `Error` of a separate realm, which cells cannot change. */
function makeFrameReader(): (callee: () => boolean) => InspectedFrame[] {
  const own = runInNewContext('Error') as ErrorConstructor;
  own.stackTraceLimit = Infinity;
  own.prepareStackTrace = (_, sites) => sites;
  return callee => {
    const holder = new own() as { stack?: unknown };
    own.captureStackTrace(holder, callee);
    const sites = holder.stack as NodeJS.CallSite[] | string;
    // V8 provides text if it is interrupted while it prepares another stack.
    if (typeof sites === 'string') return parseStack(sites).map(frame => ({ ...frame, begins: false }));
    // Leave out awaiting callers and V8's own functions.
    return sites
      .filter(site => !site.isAsync() && site.getLineNumber() !== null)
      .map(site => ({
        functionName: site.getFunctionName() ?? '',
        file: site.getScriptNameOrSourceURL() ?? '',
        line: site.getLineNumber()!,
        column: site.getColumnNumber()!,
        begins: site.getEnclosingLineNumber() === site.getLineNumber()
      }));
  };
}

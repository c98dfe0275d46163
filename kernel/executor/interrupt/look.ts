/** What the main thread does when the interrupt thread has V8 interrupt it: it looks at what it runs, and says whether to stop that. */

import { runInNewContext } from 'node:vm';
import { endCurrentInterval } from '../context/cell-context.ts';
import { criticalDepth } from '../context/critical-section.ts';
import { isInternal, isProducts, parseStack, type StackFrame } from '../context/stack-frames.ts';
import { LookOutcome, LookWord } from './look-words.ts';

/**
 * How often code of Node or the kernel that the user's code called may go on. Cut in the middle, a list of theirs would be left
 * torn. Most of it has returned at the next look, but a call that waits never does.
 */
const MOST_LOOKS = 50;
/** Functions of the kernel and of Node that are cut at once: by the time the last one returns, a storm has its next tick. */
const CUT_INSIDE = new Set(['#awaitStop', 'waitForAnswer', 'nextTick']);
/** Where Node finds, links and compiles modules. A module whose loading is cut can never be imported again. */
const LOADERS = ['node:internal/modules/', 'node:internal/bootstrap/'];
/** The lists of the memory pool, which every later allocation needs whole. */
const POOL = '/src/memory/pool/';

/** `found` gets the frames that are stopped, or none where the cell waits. */
export function makeLook(
  words: Int32Array,
  cellCount: Int32Array,
  found: (frames: readonly StackFrame[]) => void
): () => boolean {
  const framesBelow = makeFrameReader();

  function look(): boolean {
    if (Atomics.load(words, LookWord.outcome) !== LookOutcome.asked) return false;
    const frames = framesBelow(look);
    const cell = words[LookWord.cell]!;
    const reported = words[LookWord.reported] !== 0;
    // The event loop turned since the interrupt, or since its last stop.
    const turned = Atomics.load(words, LookWord.turned) !== 0;
    const over = cellCount[0] !== cell || (reported && turned);
    const inUserCode = !over && frames.some(({ file }) => !isProducts(file));
    // Code of Node, the kernel or the library alone means that nothing is to be stopped, unless callbacks keep the event loop
    // from turning and it was met between two of them.
    const goesOn = inUserCode ? isWhole(frames) || mayReturn(frames[0]!) : !over && !turned;
    if (goesOn || criticalDepth[0] !== 0) {
      Atomics.store(words, LookWord.outcome, LookOutcome.goesOn);
      return false;
    }
    // The interval whose function is cut would call it again, and so begin anew what was stopped.
    if (inUserCode) endCurrentInterval();
    if (!reported) found(inUserCode ? frames : []);
    Atomics.store(words, LookWord.turned, 0);
    Atomics.store(words, LookWord.outcome, inUserCode ? LookOutcome.stopped : LookOutcome.over);
    return inUserCode;
  }

  /** Whether a call of Node or the kernel is let go on until it returns. */
  function mayReturn({ file, functionName }: StackFrame): boolean {
    return isInternal(file) && !CUT_INSIDE.has(functionName) && ++words[LookWord.looks]! <= MOST_LOOKS;
  }

  return look;
}

/** Whether the user's code called what has to end, however long that takes. */
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

/** What gives the frames below `callee`. By the `Error` of a realm of its own, which cells cannot change. */
function makeFrameReader(): (callee: () => boolean) => StackFrame[] {
  const own = runInNewContext('Error') as ErrorConstructor;
  own.stackTraceLimit = Infinity;
  own.prepareStackTrace = (_, sites) => sites;
  return callee => {
    const holder = new own() as { stack?: unknown };
    own.captureStackTrace(holder, callee);
    const sites = holder.stack as NodeJS.CallSite[] | string;
    // V8 gives text where it is interrupted while it prepares another stack.
    if (typeof sites === 'string') return parseStack(sites);
    // Neither callers that await nor functions of V8.
    return sites
      .filter(site => !site.isAsync() && site.getLineNumber() !== null)
      .map(site => ({
        functionName: site.getFunctionName() ?? '',
        file: site.getScriptNameOrSourceURL() ?? '',
        line: site.getLineNumber()!,
        column: site.getColumnNumber()!
      }));
  };
}

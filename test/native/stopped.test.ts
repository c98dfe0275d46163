import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { runInNewContext } from 'node:vm';

import { block, collect, loadAgain, native, settle, simulated, stream } from './support.ts';

/** A JavaScript callback of native code that is stopped long before it returns. */
function forever(): number {
  for (const end = performance.now() + 3_000; performance.now() < end;);
  return 0;
}

/** Stops `call` after a moment, as an interrupt does: neither `catch` nor `finally` may run. */
function stop(call: () => unknown): { readonly code?: string; readonly after: readonly string[] } {
  const after: string[] = [];
  const watched = (): void => {
    try {
      call();
      after.push('returned');
    } catch (error) {
      after.push(`caught ${String(error)}`);
    } finally {
      after.push('finally');
    }
  };
  let code: string | undefined;
  try {
    runInNewContext('watched()', { watched }, { timeout: 250 });
  } catch (error) {
    ({ code } = error as { code?: string });
  }
  return { ...(code !== undefined && { code }), after };
}

const STOPPED = { code: 'ERR_SCRIPT_EXECUTION_TIMEOUT', after: [] };

/** Memory whose release runs `release`. */
function lent(release: () => void) {
  const pointer = native.raw.memAlloc(simulated(), 64);
  return native.adopt(simulated(), pointer, 64, 'device', () => {
    native.raw.memFree(simulated(), pointer);
    release();
  });
}

beforeEach(settle);

describe('JavaScript that native code calls can be stopped', () => {
  const addon = loadAgain();
  addon.setErrorFactory(() => new Error(`made after ${forever()} s`));
  const [device] = addon.devices('simulated');

  test('while it creates the error of a function', () => {
    for (let round = 0; round < 3; round++)
      expect(stop(() => addon.allocate(device!, -1, 'device'))).toEqual(STOPPED);
  });

  test('while it creates the error of a method', () => {
    const on = addon.createStream(device!, { blocking: false, priority: 0 });
    expect(stop(() => on.waitForStream({} as never))).toEqual(STOPPED);
    expect(on.query()).toBe(true);
  });

  test('while it creates the error of a constructor', () => {
    const { constructor } = addon.createStream(device!, { blocking: false, priority: 0 });
    // The object is unwrapped after its constructor, which makes V8 forget the termination: at least nothing is thrown.
    expect(stop(() => new (constructor as new () => unknown)()).after).not.toContain('caught null');
    collect();
  });

  test('while it creates the error that a promise rejects with', async () => {
    const on = addon.createStream(device!, { blocking: false, priority: 0 });
    on.destroy();
    expect(stop(() => void on.synchronizeAsync())).toEqual(STOPPED);
    await turn();
  });

  test('in the release of a block, and the other releases run later', () => {
    let later = 0;
    const blocks = [lent(() => void forever()), lent(() => later++), lent(() => later++)];
    const on = stream();
    for (const lentBlock of blocks) {
      lentBlock.writeFromHost(0, new Uint8Array(64), on);
      lentBlock.release();
    }
    expect(stop(() => native.drainReleases(true))).toEqual(STOPPED);
    expect(later).toBe(0);
    expect(native.drainReleases(true)).toBe(2);
    expect({ later, pending: native.pendingReleases[0] }).toEqual({ later: 2, pending: 0 });
  });

  test('in the collector', () => {
    native.setCollector(() => void forever());
    expect(stop(() => native.drainReleases(true))).toEqual(STOPPED);
    native.setCollector(collect);
    expect(native.drainReleases(true)).toBe(0);
  });

  test('when a trace asks for the context of work', () => {
    let asked = 0;
    const storage = block(64);
    const on = stream();
    native.trace.start(100, null);
    native.trace.setContext(() => (asked++ === 0 ? forever() : 0));
    expect(stop(() => storage.fill(0, 1, 1, 64, on))).toEqual(STOPPED);
    native.trace.setContext(() => 0);
    native.trace.stop();
  });
});

test('an error of JavaScript called by native code is thrown at the native call', async () => {
  const addon = loadAgain();
  const thrown = new Error('not to be made');
  addon.setErrorFactory(() => {
    throw thrown;
  });
  const [device] = addon.devices('simulated');
  const on = addon.createStream(device!, { blocking: false, priority: 0 });
  expect(() => addon.allocate(device!, -1, 'device')).toThrow(thrown);
  expect(() => on.waitForStream({} as never)).toThrow(thrown);
  on.destroy();
  await expect(on.synchronizeAsync()).rejects.toBe(thrown);
});

test('native code calls JavaScript and its event loop through entry.h and object.h only', () => {
  const folder = join(import.meta.dirname, '../../native/binding');
  // node-addon-api's own exception handling ends the process if JavaScript is being terminated.
  const others =
    /Function::New|InstanceMethod|StaticMethod|InstanceAccessor|ObjectWrap|ThrowAsJavaScriptException|napi_create_function|ThreadSafeFunction|napi_create_threadsafe_function\((?:(?!TurnEntry)[^;])*;/;
  const found = globSync('*.{cc,h}', { cwd: folder })
    .filter(file => !['entry.h', 'entry.cc', 'object.h'].includes(file))
    .filter(file =>
      others.test(readFileSync(join(folder, file), 'utf8').replace(/\/\/.*|\/\*[^]*?\*\//g, ''))
    );
  expect(found).toEqual([]);
});

/** The connection to a Python process: requests that wait for answers, and calls of JavaScript functions in between. */

import { InterruptedError } from '../../base/errors.ts';
import type {
  CallableFromPython,
  FromPython,
  NativePythonHandle,
  ToPython
} from '../../native/python-binding.ts';
import { native } from '../../native/load.ts';
import { PythonLostError, PythonUnavailableError, type ProcessEnd } from '../interpreter/errors.ts';
import { RemoteFunctions } from './functions.ts';
import type { Raise } from '../interpreter/host.ts';
import { Tag, WireReader, WireWriter } from '../interpreter/wire.ts';
import { RemoteHandle } from './handle.ts';
import type { PythonPeer } from './peer.ts';
import { CallOrigin, FromChild, operationNumbers, ToChild, type Operation } from './protocol.ts';
import { SharedArrays, type SharingFields } from './shared-arrays.ts';

/** The time limit for the start, in ms: a first import may come from a slow disk. */
const START_WITHIN = 30_000;
/** Polling interval, in ms, while no message has arrived. */
const GLANCE = 1_000;
/** The time limit for code to end after an interrupt, in ms. */
const GRACE = 5_000;

interface Outcome {
  /** Whether `value` is an exception that was raised. */
  readonly raised: boolean;
  /** Null if there is no value, as at the end of an iteration. */
  readonly value: FromPython | null;
  /** File descriptors received with it; closed once the answer is used. */
  readonly descriptors: readonly number[];
}

interface Promised {
  resolve(outcome: [raised: boolean, outcome: FromPython]): void;
  reject(error: Error): void;
}

interface Call {
  /** The number of the answer; null if the caller does not wait for one. */
  readonly ticket: number | null;
  readonly function: number;
  readonly values: FromPython[];
  readonly names: string[] | undefined;
}

interface LastFacts {
  readonly how: string;
  readonly end?: ProcessEnd | undefined;
}

const CLOSED: LastFacts = { how: 'it was closed. `python.start()` starts another' };

/** Makes a new error for each use, so that its stack shows that use. */
function lost({ how, end }: LastFacts): PythonLostError {
  return new PythonLostError(how, end);
}

function closeAll({ descriptors }: Outcome): void {
  for (const descriptor of descriptors) native().channels.closeDescriptor(descriptor);
}

const open = new Map<number, Connection>();
let watching = false;

function watch(): void {
  if (watching) return;
  watching = true;
  native().links.watch(link => open.get(link)?.attend());
  process.once('exit', () => {
    for (const connection of open.values()) connection.close();
  });
}

export class Connection {
  readonly #peer: PythonPeer;
  readonly #writer = new WireWriter();
  readonly #functions = new RemoteFunctions();
  readonly arrays = new SharedArrays((number, fields) => this.#tell(number, fields));
  #number = 0;
  #released: number[] = [];
  /** The number of releases in the message being written. */
  #carried = 0;
  #flushing = false;
  readonly #outcomes = new Map<number, Outcome>();
  readonly #promised = new Map<number, Promised>();
  #hold: NodeJS.Timeout | undefined;
  /** Calls from its other threads, for the next turn of the event loop. */
  readonly #calls: Call[] = [];
  /** Calls that are running, innermost last. */
  readonly #running: number[] = [];
  #waits = 0;
  /** Whether the next turn of the event loop will check for waits that were cut off. */
  #watched = false;
  #end: LastFacts | undefined;

  /** Connects to the process that `connect` returns, and waits for its first message. @throws PythonUnavailableError */
  constructor(connect: () => PythonPeer, executable: string) {
    watch();
    this.#peer = connect();
    open.set(this.#peer.link, this);
    this.#awaitStart(executable);
  }

  /** Returns the object that a number in a message stands for. */
  readonly find = (tag: number, number: number): FromPython => {
    if (tag === Tag.handle) return new RemoteHandle(this, number) as unknown as NativePythonHandle;
    if (tag === Tag.function) return this.#functions.find(number);
    return this.arrays.again(number) as unknown as FromPython;
  };

  get process(): number {
    return this.#peer.process;
  }

  /** Why the connection cannot be used; undefined while it can. */
  get end(): PythonLostError | undefined {
    return this.#end === undefined ? undefined : lost(this.#end);
  }

  /** Begins a request, or a call on a thread of the Python process; write its values next. @throws PythonLostError */
  begin(operation: Operation | 'async'): WireWriter {
    this.arrays.orderPython();
    const kind = operation === 'async' ? ToChild.async : operationNumbers[operation];
    return this.#begin(kind, (this.#number = (this.#number + 1) >>> 0));
  }

  /**
   * Sends the request, with file descriptors for the other process, and waits for the answer: its value, null if it has none, and its
   * file descriptors, which are closed after `use`. @throws what `raise` makes of an exception
   */
  finish<Result = FromPython | null>(
    raise: Raise,
    descriptors: readonly number[] = [],
    use: (value: FromPython | null, descriptors: readonly number[]) => Result = value => value as Result
  ): Result {
    const outcome = this.#wait(this.#number, descriptors);
    const { raised, value } = outcome;
    if (raised) {
      // An interrupt that caused the exception is handled: it must not interrupt the requests that describe the exception.
      native().links.takeInterrupt();
      throw raise(value as NativePythonHandle);
    }
    try {
      return use(value, outcome.descriptors);
    } finally {
      closeAll(outcome);
    }
  }

  finishAsync(): Promise<[raised: boolean, outcome: FromPython]> {
    const number = this.#number;
    this.#send();
    return new Promise((resolve, reject) => {
      this.#promised.set(number, { resolve, reject });
      // A promise does not keep a process alive; a timer does.
      this.#hold ??= setInterval(() => undefined, 2 ** 30);
    });
  }

  /** Gives a function a number, with which Python calls it until Python releases it. */
  keep(function_: CallableFromPython): number {
    return this.#functions.add(function_);
  }

  write(writer: WireWriter, value: ToPython): void {
    const handle: unknown = value;
    if (handle instanceof RemoteHandle && handle.owner === this) writer.handle(handle.number);
    else writer.scalar(value);
  }

  /** Notifies the process that an object is no longer referenced here. */
  drop(number: number): void {
    if (this.#end !== undefined) return;
    this.#released.push(number);
    if (this.#flushing) return;
    this.#flushing = true;
    // The next message carries the releases, if there is one before the callback.
    setImmediate(() => {
      this.#flushing = false;
      if (this.#released.length === 0 || this.#end !== undefined) return;
      this.#begin(ToChild.release, 0);
      this.#send();
    }).unref();
  }

  /** Handles all received messages, in a turn of the event loop. */
  attend(): void {
    this.#forgetCutOff();
    while (this.#end === undefined) {
      const message = native().links.receive(this.#peer.link, 0, false);
      if (message === undefined) return this.#peer.passErrorsOn();
      if (message === null) this.#lose();
      else this.#take(message);
    }
  }

  /**
   * Asks the process to end the connection normally, and kills it after `patience` milliseconds. A second call does nothing.
   */
  close(patience = this.#peer.patience): void {
    if (this.#end !== undefined) return;
    const { links } = native();
    const deadline = Date.now() + patience;
    this.#begin(ToChild.end, 0);
    links.send(this.#peer.link, this.#writer.message, []);
    let left = patience;
    for (; left > 0; left = deadline - Date.now()) {
      const message = links.receive(this.#peer.link, left, true);
      this.#peer.passErrorsOn();
      if (message === null) break;
      if (message !== undefined) this.#takeAtEnd(message);
      else if (links.takeInterrupt()) left = 0;
    }
    if (this.#peer.ended(Math.max(left, 0)) === undefined) this.#peer.kill('SIGKILL');
    this.#finish(CLOSED);
  }

  #begin(kind: number, number: number): WireWriter {
    if (this.#end !== undefined) throw lost(this.#end);
    this.#carried = this.#released.length;
    this.#writer.begin(kind, number, this.#released);
    return this.#writer;
  }

  #send(descriptors: readonly number[] = []): void {
    if (this.#carried > 0) this.#released.splice(0, this.#carried);
    if (!native().links.send(this.#peer.link, this.#writer.message, descriptors)) this.#lose();
  }

  #awaitStart(executable: string): void {
    const deadline = Date.now() + START_WITHIN;
    while (Date.now() < deadline) {
      const message = native().links.receive(this.#peer.link, GLANCE, false);
      if (message === null) {
        const cause = lost(this.#lose());
        throw new PythonUnavailableError(`${executable} ended while it started: ${cause.how}`, [], { cause });
      }
      if (message === undefined) continue;
      if (message[0] === FromChild.hello) return;
    }
    this.#peer.kill('SIGKILL');
    this.#finish(CLOSED);
    throw new PythonUnavailableError(`${executable} did not start within ${START_WITHIN} ms`);
  }

  #wait(number: number, descriptors: readonly number[]): Outcome {
    const { links } = native();
    const { link } = this.#peer;
    this.#send(descriptors);
    let interruptedAt = 0;
    this.#waits++;
    if (!this.#watched) {
      this.#watched = true;
      setImmediate(() => this.#forgetCutOff());
    }
    try {
      for (;;) {
        if (this.#end !== undefined) throw lost(this.#end);
        const message = links.receive(link, GLANCE, interruptedAt === 0);
        if (message === null) {
          this.#lose();
        } else if (message !== undefined) {
          this.#take(message);
          const outcome = this.#outcomes.get(number);
          if (outcome === undefined) continue;
          this.#outcomes.delete(number);
          // The pipe now contains what the call wrote to standard error.
          this.#peer.passErrorsOn();
          return outcome;
        } else {
          this.#peer.passErrorsOn();
          if (interruptedAt === 0 && links.takeInterrupt()) {
            interruptedAt = Date.now();
            this.#peer.kill('SIGINT');
          } else if (interruptedAt > 0 && Date.now() - interruptedAt > GRACE) {
            throw new InterruptedError(
              'Python was interrupted but does not respond, for example in a library that does not check for interrupts: later calls ' +
                'wait until it does. `python.close()` ends the process'
            );
          }
        }
      }
    } finally {
      this.#waits--;
      if (this.#waits === 0 && this.#end === undefined && links.pending(link))
        setImmediate(() => this.attend());
    }
  }

  #take(message: Uint8Array): void {
    const reader = new WireReader(message, this.find);
    const kind = reader.byte();
    const number = reader.id();
    switch (kind) {
      case FromChild.value:
      case FromChild.granted:
      case FromChild.raised:
      case FromChild.nothing: {
        const value = kind === FromChild.nothing ? null : (reader.value() as FromPython);
        const descriptors = kind === FromChild.granted ? this.#takeDescriptors() : [];
        this.#outcomes.set(number, { raised: kind === FromChild.raised, value, descriptors });
        return;
      }
      case FromChild.call:
        return this.#called(number, reader);
      case FromChild.done: {
        const raised = reader.byte() === 1;
        const promised = this.#promised.get(number);
        this.#settled(number);
        promised?.resolve([raised, reader.value() as FromPython]);
        return;
      }
      default:
        this.#takeAtEnd(message);
    }
  }

  /** Handles messages that are neither answers nor calls, also while the process ends. */
  #takeAtEnd(message: Uint8Array): void {
    const reader = new WireReader(message, this.find);
    const kind = reader.byte();
    const number = reader.id();
    if (kind === FromChild.drop) this.#functions.delete(number);
    if (kind === FromChild.array)
      this.arrays.hear(number, JSON.parse(reader.value() as string) as SharingFields);
    if (kind !== FromChild.output) return;
    const text = reader.value() as string;
    if (number === 1) this.#peer.note(text);
    process[number === 1 ? 'stderr' : 'stdout'].write(text);
  }

  #takeDescriptors(): number[] {
    const { links } = native();
    const { link } = this.#peer;
    const taken: number[] = [];
    for (let next = links.takeDescriptor(link); next >= 0; next = links.takeDescriptor(link))
      taken.push(next);
    return taken;
  }

  /** Sends a message about a shared array. Returns false if the process has exited. */
  #tell(number: number, fields: SharingFields): boolean {
    if (this.#end !== undefined) return false;
    this.#begin(ToChild.array, number).text(JSON.stringify(fields));
    this.#send();
    return this.#end === undefined;
  }

  #called(ticket: number, reader: WireReader<FromPython>): void {
    const function_ = reader.id();
    const origin = reader.byte();
    const keywords = reader.id();
    const values: FromPython[] = [];
    while (!reader.done) values.push(reader.value() as FromPython);
    const names =
      keywords === 0 ? undefined : (values.splice(values.length - 2 * keywords, keywords) as string[]);
    const call = { ticket: origin === CallOrigin.told ? null : ticket, function: function_, values, names };
    if (origin === CallOrigin.main || this.#waits === 0) {
      this.#run(call);
      return;
    }
    this.#calls.push(call);
    if (this.#calls.length > 1) return;
    setImmediate(() => {
      for (const queued of this.#calls.splice(0)) this.#run(queued);
    });
  }

  #run({ ticket, function: number, values, names }: Call): void {
    if (ticket === null) {
      this.#functions.find(number)(names, ...values);
      return;
    }
    this.#running.push(ticket);
    let kind: number = ToChild.return;
    let answer: ToPython;
    try {
      answer = this.#functions.find(number)(names, ...values);
    } catch (thrown) {
      kind = ToChild.throw;
      // Anything else was not thrown by the function.
      answer = thrown instanceof RemoteHandle ? (thrown as unknown as NativePythonHandle) : undefined;
    }
    this.#running.pop();
    this.#answer(kind, ticket, answer);
  }

  #answer(kind: number, ticket: number, value: ToPython): void {
    if (this.#end !== undefined) return;
    this.arrays.orderPython();
    this.write(this.#begin(kind, ticket), value);
    this.#send();
  }

  /** Ends calls and waits that were interrupted: none can be running between turns of the event loop. */
  #forgetCutOff(): void {
    this.#watched = false;
    while (this.#running.length > 0) this.#answer(ToChild.throw, this.#running.pop() as number, undefined);
    if (this.#waits > 0 && this.#end === undefined) {
      this.#waits = 0;
      this.#begin(ToChild.unwind, 0);
      this.#send();
    }
    for (const outcome of this.#outcomes.values()) closeAll(outcome);
    this.#outcomes.clear();
  }

  #settled(number: number): void {
    this.#promised.delete(number);
    if (this.#promised.size > 0) return;
    clearInterval(this.#hold);
    this.#hold = undefined;
  }

  #lose(): LastFacts {
    if (this.#end !== undefined) return this.#end;
    this.#peer.passErrorsOn();
    let end = this.#peer.ended();
    if (end === undefined) {
      // It closed the connection, so it cannot be used.
      this.#peer.kill('SIGKILL');
      end = this.#peer.ended();
    }
    const what =
      typeof end?.signal === 'string'
        ? `was ended by ${end.signal}`
        : `ended with exit code ${end?.exitCode ?? 'unknown'}`;
    const how = `its process ${this.#peer.process} ${what}; \`python.start()\` starts another`;
    return this.#finish({ how, end });
  }

  #finish(facts: LastFacts): LastFacts {
    this.#end = facts;
    open.delete(this.#peer.link);
    this.#peer.close();
    this.arrays.end(facts !== CLOSED);
    for (const [number, promised] of [...this.#promised]) {
      this.#settled(number);
      promised.reject(lost(facts));
    }
    return facts;
  }
}
